/*
 * rename.c - renames as lines for a shell, which nobody has to trust blindly
 *
 * Names of files are octets that somebody else may have chosen.  Nothing of
 * them is a command to the shell that reads the plan, nor to the terminal
 * that shows it.
 */

#include <string.h>

#include "cli.h"


/* Does it stand for itself between quotes, and on a terminal? */
static int
cli_is_plain(iri_str_t octets)
{
    size_t  i = 0;
    int32_t c;

    while (i < octets.len) {
        c = cli_next(octets, &i);
        if (c < 0 || c == '\'' || c == '\\' || cli_is_unsafe(c)) {
            return 0;
        }
    }
    return 1;
}


/*
 * Between the quotes of $'...': what is not graphic ASCII as \ooo.  So are a
 * quote and a backslash: a shell that knows no $'...', such as dash, would
 * take "\'" for the end of the quotes, and run what follows.
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


/* One word of two parts: '...', or where a part is not plain $'...'. */
static void
cli_quote(FILE *out, iri_str_t folder, iri_str_t name)
{
    if (cli_is_plain(folder) && cli_is_plain(name)) {
        putc('\'', out);
        fwrite(folder.data, 1, folder.len, out);
        fwrite(name.data, 1, name.len, out);
    } else {
        fputs("$'", out);
        cli_put_octets(out, folder);
        cli_put_octets(out, name);
    }
    putc('\'', out);
}


/* "./a/b" -> 4 */
static size_t
cli_base(iri_str_t path)
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
    iri_str_t              folder = path;

    if (plan == CLI_PLAN_CONVMV) {
        fprintf(out, "convmv --notest --nfc -f %.*s -t UTF-8 -- ",
                (int) charset.len, (const char *) charset.data);
        cli_quote(out, path, none);
        putc('\n', out);
        return;
    }
    folder.len = cli_base(path);
    /* -T: a link to a folder that has come in its place is not gone into. */
    fputs("mv -nT -- ", out);
    cli_quote(out, path, none);
    putc(' ', out);
    cli_quote(out, folder, name);
    putc('\n', out);
}


void
cli_rename_not(FILE *out, iri_str_t path, const char *why)
{
    static const iri_str_t none = IRI_STR("");

    fputs("# left alone: ", out);
    cli_quote(out, path, none);
    fprintf(out, ": %s\n", why);
}
