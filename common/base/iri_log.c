/*
 * iri_log.c - log lines, and octets as printable text
 *
 * Formats lines for iri_env_t.log.  Octets of a request are printed as ASCII,
 * percent-encoded where necessary.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/iri_string.h"


void
iri_log_line(const iri_env_t *env, iri_log_level_t level, const char *format,
             ...)
{
    char      text[1024];
    va_list   args;
    int       n;
    iri_str_t line;

    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);

    if (n < 0) {
        return;
    }

    line.data = (const unsigned char *) text;
    line.len = (size_t) n < sizeof(text) ? (size_t) n : sizeof(text) - 1;

    env->log(env->ctx, level, line);
}


const char *
iri_printable(const iri_env_t *env, iri_str_t s)
{
    iri_buf_t    out = IRI_BUF_EMPTY;
    iri_status_t status;

    status = iri_buf_put_escaped(env, &out, s, iri_is_visible);

    if (status == IRI_OK) {
        status = iri_buf_putc(env, &out, '\0');
    }

    return status == IRI_OK ? (const char *) out.data : "(no memory)";
}


/*
 * Returns: 1 if c is shown unescaped.
 * sent: 1 for octets as sent, which may contain "%"; 0 for a canonical path.
 */
static int
iri_is_shown_unescaped(unsigned char c, int sent)
{
    return sent ? c > 0x20 && c < 0x7f && c != '"' && c != '\\'
                : iri_is_path_char(c);
}


static const char *
iri_show_as(iri_shown_t *shown, iri_str_t octets, int sent)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t            i, n = 0;

    for (i = 0; i < octets.len; i++) {
        if (n > IRI_MAX_LOG_PATH - sizeof("%E9") + 1) {
            memcpy(shown->text + n, "...", 3);
            n += 3;
            break;
        }

        if (iri_is_shown_unescaped(octets.data[i], sent)) {
            shown->text[n++] = (char) octets.data[i];

        } else {
            shown->text[n++] = '%';
            shown->text[n++] = hex[octets.data[i] >> 4];
            shown->text[n++] = hex[octets.data[i] & 15];
        }
    }

    shown->text[n] = '\0';

    return shown->text;
}


const char *
iri_show(iri_shown_t *shown, iri_str_t path)
{
    return iri_show_as(shown, path, 0);
}


const char *
iri_show_sent(iri_shown_t *shown, iri_str_t octets)
{
    return iri_show_as(shown, octets, 1);
}
