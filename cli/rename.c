/*
 * rename.c - renames as lines for a shell
 *
 * File names are untrusted octets.  They are quoted, so that the shell that
 * runs the plan and the terminal that shows the plan interpret none of them.
 */

#include <string.h>

#include "cli.h"


/* 1 if octets can stand in single quotes, and be printed unchanged. */
static int
cli_is_quotable(iri_str_t octets)
{
    size_t  i = 0;
    int32_t c;

    while (i < octets.len) {
        c = cli_next_character(octets, &i);
        if (c < 0 || c == '\'' || c == '\\' || cli_is_unsafe(c)) {
            return 0;
        }
    }
    return 1;
}


/*
 * Write octets for $'...': all except graphic ASCII as \ooo.  A quote and a
 * backslash are escaped in the same way: a shell without $'...', such as dash,
 * would end the quoted string at "\'" and run the rest.
 */
static void
cli_put_octets(FILE *out, iri_str_t octets)
{
    size_t i;

    for (i = 0; i < octets.len; i++) {
        unsigned char c = octets.data[i];

        if (c < 0x20 || c >= 0x7f || c == '\'' || c == '\\') {
            fprintf(out, "\\%03o", c);
        } else {
            putc(c, out);
        }
    }
}


/* Write directory and name as one word: '...', or $'...' if needed. */
static void
cli_quote(FILE *out, iri_str_t directory, iri_str_t name)
{
    if (cli_is_quotable(directory) && cli_is_quotable(name)) {
        putc('\'', out);
        fwrite(directory.data, 1, directory.len, out);
        fwrite(name.data, 1, name.len, out);
    } else {
        fputs("$'", out);
        cli_put_octets(out, directory);
        cli_put_octets(out, name);
    }
    putc('\'', out);
}


/* The offset of the last segment: "./a/b" -> 4 */
static size_t
cli_base_offset(iri_str_t path)
{
    size_t at = path.len;

    while (at > 0 && path.data[at - 1] != '/') {
        at--;
    }
    return at;
}


void
cli_rename(FILE *out, cli_plan_t plan, iri_str_t path, iri_str_t name,
           iri_str_t charset)
{
    static const iri_str_t none = IRI_STR("");
    iri_str_t              directory = path;

    if (plan == CLI_PLAN_CONVMV) {
        fprintf(out, "convmv --notest --nfc -f %.*s -t UTF-8 -- ",
                (int) charset.len, (const char *) charset.data);
        cli_quote(out, path, none);
        putc('\n', out);
        return;
    }
    directory.len = cli_base_offset(path);
    /* -T: if the target is now a link to a directory, do not move into it. */
    fputs("mv -nT -- ", out);
    cli_quote(out, path, none);
    putc(' ', out);
    cli_quote(out, directory, name);
    putc('\n', out);
}


void
cli_rename_skipped(FILE *out, iri_str_t path, const char *why)
{
    static const iri_str_t none = IRI_STR("");

    fputs("# not renamed: ", out);
    cli_quote(out, path, none);
    fprintf(out, ": %s\n", why);
}
