/*
 * iri_string.h - strings, growing buffers and log lines, for the core
 */

#ifndef IRI_STRING_H
#define IRI_STRING_H

#include <string.h>

#include "iri_types.h"

#pragma GCC visibility push(hidden)


/* ---- strings and growing buffers ----------------------------------------- */

/* A string that grows in the arena, up to IRI_MAX_BUFFER octets. */
typedef struct {
    unsigned char *data;
    size_t         len;
    size_t         size;   /* octets allocated */
} iri_buf_t;

#define IRI_MAX_BUFFER (16 * 1024 * 1024)   /* more than any page needs */

#define IRI_BUF_EMPTY { NULL, 0, 0 }

/*
 * Make room for more octets after the first len, by copying the buffer.
 * Returns: IRI_OK; IRI_NO_MEMORY, also above IRI_MAX_BUFFER.
 */
iri_status_t iri_buf_reserve(const iri_env_t *env, iri_buf_t *buf,
                             size_t more);

/* As iri_buf_reserve(), but copies the buffer only if it is too small. */
static inline iri_status_t
iri_buf_room(const iri_env_t *env, iri_buf_t *buf, size_t more)
{
    return more > buf->size - buf->len ? iri_buf_reserve(env, buf, more)
                                       : IRI_OK;
}

/* Append octets; data may be NULL if len is 0. */
static inline iri_status_t
iri_buf_put(const iri_env_t *env, iri_buf_t *buf, const unsigned char *data,
            size_t len)
{
    iri_status_t status = iri_buf_room(env, buf, len);

    if (status != IRI_OK) {
        return status;
    }

    if (len != 0) {
        memcpy(buf->data + buf->len, data, len);
        buf->len += len;
    }

    return IRI_OK;
}

static inline iri_status_t
iri_buf_putc(const iri_env_t *env, iri_buf_t *buf, unsigned char c)
{
    return iri_buf_put(env, buf, &c, 1);
}

/* Append a NUL-terminated text without its NUL. */
static inline iri_status_t
iri_buf_put_text(const iri_env_t *env, iri_buf_t *buf, const char *text)
{
    return iri_buf_put(env, buf, (const unsigned char *) text, strlen(text));
}

/* Append count strings. */
iri_status_t iri_buf_put_all(const iri_env_t *env, iri_buf_t *buf,
                             const iri_str_t *parts, size_t count);

/* Append "%" and two upper-case hexadecimal digits. */
static inline iri_status_t
iri_buf_put_escape(const iri_env_t *env, iri_buf_t *buf, unsigned char c)
{
    static const char hex[] = "0123456789ABCDEF";
    unsigned char     escape[3];

    escape[0] = '%';
    escape[1] = (unsigned char) hex[c >> 4];
    escape[2] = (unsigned char) hex[c & 15];

    return iri_buf_put(env, buf, escape, sizeof(escape));
}

/* Append s; octets for which keep returns 0 are percent-encoded. */
iri_status_t iri_buf_put_escaped(const iri_env_t *env, iri_buf_t *buf,
                                 iri_str_t s, int (*keep)(unsigned char c));

/* The lower case of an ASCII letter; c itself for other octets. */
static inline unsigned char
iri_lower(unsigned char c)
{
    return (unsigned char) (c | ((unsigned) c - 'A' < 26u) << 5);
}

/* iri_lower() of each of eight octets. */
static inline uint64_t
iri_lower_eight(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t       low = word & ones * 0x7f;
    uint64_t       upper = (low + ones * (0x80 - 'A'))
                     & ~(low + ones * (0x7f - 'Z')) & ~word & ones * 0x80;

    return word | upper >> 2;
}

/* Indexed by octet; a blank marks an octet that a URI path must escape. */
extern const char iri_path_chars[0x80 + 1];

/*
 * Returns: 1 if a URI path may contain c unescaped (pchar of RFC 3986, 3.3, or
 * "/"), else 0; "%" gives 0.
 */
static inline int
iri_is_path_char(unsigned char c)
{
    return c < 0x80 && iri_path_chars[c] != ' ';
}

/* Returns: the number of such octets from p on. */
size_t iri_path_char_span(const unsigned char *p, const unsigned char *end);

/*
 * Returns: 1 if c is reserved or unreserved (RFC 3986, 2.2 and 2.3), else 0;
 * "%" gives 0.
 */
static inline int
iri_is_uri_char(unsigned char c)
{
    return iri_is_path_char(c) || c == '?' || c == '#' || c == '['
           || c == ']';
}

/*
 * Returns: 1 if c is unreserved (RFC 3986, 2.3), so that "%41" and "A" are
 * equivalent.  'A' -> 1; '/' -> 0
 */
int iri_is_unreserved(unsigned char c);

/*
 * Returns: 1 if c is copied unescaped into a query, a fragment or an authority:
 * visible ASCII that cannot end a header field, a quoted string or a tag.
 */
int iri_is_literal(unsigned char c);

int iri_is_alphanumeric(unsigned char c);                 /* ASCII only */
int iri_is_visible(unsigned char c);                      /* 21 to 7E */
iri_str_t iri_buf_str(const iri_buf_t *buf);
iri_str_t iri_str_from(iri_str_t s, size_t offset);       /* s from offset on */
int iri_str_equal(iri_str_t a, iri_str_t b);
int iri_str_compare(iri_str_t a, iri_str_t b);            /* <0, 0, >0 */
int iri_str_equal_nocase(iri_str_t a, const char *b);     /* ASCII case only */
size_t iri_str_count(iri_str_t s, unsigned char c);       /* occurrences */
iri_str_t iri_str_trim(iri_str_t s);   /* s without spaces and tabs around it */

/* Returns: the offset of the first octet of s that is in stop; s.len: none. */
size_t iri_str_find_any(iri_str_t s, const char *stop);

/* Returns: the offset of the first "/" at or after offset; path.len: none. */
size_t iri_segment_end(iri_str_t path, size_t offset);

/* Returns: the offset of the first "." at or after offset; host.len: none. */
size_t iri_label_end(iri_str_t host, size_t offset);

/* Returns: the offset of the last n segments of s; 0: s has fewer. */
size_t iri_last_segments_offset(iri_str_t s, size_t n);

int iri_is_dot_segment(iri_str_t segment);                /* "." or ".." */
int iri_has_dot_segment(iri_str_t path);
int iri_is_graphic(iri_str_t s);                   /* ASCII without controls */

/* Returns: the number of octets from p on that are graphic ASCII. */
size_t iri_graphic_span(const unsigned char *p, const unsigned char *end);

/*
 * Returns: the length in octets of the leading segments of path that are
 * graphic ASCII, each with its final "/".
 */
size_t iri_graphic_segments(iri_str_t path);

/*
 * Are len octets, at most eight, graphic ASCII?  The word is filled up with
 * blanks.  An octet that is not graphic may carry into its neighbours, but its
 * own bit already makes the result 0.
 */
static inline int
iri_is_graphic_octets(const unsigned char *p, size_t len)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t       word = ones * 0x20;

    memcpy(&word, p, len);

    /* above 7F, below 20, or 7F? */
    return ((word | (word - ones * 0x20) | (word + ones)) & ones * 0x80) == 0;
}

/* Are there eight octets from p on, and are they graphic ASCII?  p < end. */
static inline int
iri_is_graphic_eight(const unsigned char *p, const unsigned char *end)
{
    return *p < 0x80 && end - p >= 8 && iri_is_graphic_octets(p, 8);
}


/* Separates a line for iri_env_t.log from the code of its reason. */
#define IRI_LOG_REASON ", reason="

/* 1 if env logs lines of this level; level is evaluated more than once. */
#define iri_logs(env, level)                                                 \
    ((env)->log != NULL                                                      \
     && ((level) >= IRI_LOG_TRACE  ? (env)->trace                            \
         : (level) == IRI_LOG_INFO ? !(env)->quiet                           \
                                   : 1))

/* Write a line to the caller's log, without a test of the level. */
void iri_log_line(const iri_env_t *env, iri_log_level_t level,
                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Write a line if env logs this level; else the arguments after level are not
 * evaluated.  Arguments of "%s" must be printable.
 */
#define iri_logf(env, level, ...)                                            \
    do {                                                                     \
        if (iri_logs(env, level)) {                                          \
            iri_log_line(env, level, __VA_ARGS__);                           \
        }                                                                    \
    } while (0)

/*
 * Log the line of a stage.  octets: the path, root or query that the stage is
 * about; any octets.
 */
#define iri_trace_stage(env, stage, octets)                                  \
    iri_logf(env, IRI_LOG_STAGE, "%s%s", iri_stage_text(stage),              \
             iri_printable(env, octets))

/* Log a verdict: "answer pass: no entry has that name" */
#define iri_trace_verdict(env, verdict, why)                                 \
    iri_logf(env, IRI_LOG_STAGE, "answer %s: %s", iri_verdict_text(verdict), \
             iri_why_text(why))

/*
 * Returns: s percent-encoded for a log line, in env's arena; a static text if
 * there is no memory.
 */
const char *iri_printable(const iri_env_t *env, iri_str_t s);


/* "mixed": the charset of a reading whose segments have several charsets. */
extern const iri_str_t iri_charset_mixed;

/*
 * Returns: table[value], a static text; "unknown" if value is out of range.
 * table: count texts in the order of an enum.
 */
const char *iri_enum_word(const char *const *table, int count, int value);


#pragma GCC visibility pop

#endif /* IRI_STRING_H */
