/*
 * whatwg.h - the decoders and encoders of the Encoding Standard
 */

#ifndef WHATWG_H
#define WHATWG_H

#include <stddef.h>
#include <stdint.h>

#define WHATWG_NONE 0xffffffffu /* no character */
#define WHATWG_PAIR 0xfffffffeu /* two characters (Big5) */
#define WHATWG_MOST 23940       /* pointers of the largest index */

typedef struct {
    char     name[24];
    uint32_t at[WHATWG_MOST]; /* code point by pointer, or WHATWG_NONE */
} whatwg_index_t;

/* Is the index of this encoding stored, or in ../shared/data? */
int whatwg_has(const char *name);

/*
 * The character that the encoding of this name has for exactly these octets,
 * the first of which is above 7F.
 */
uint32_t whatwg_decode(const char *name, const unsigned char *p, size_t len);

/* Encode c, which is not ASCII, in the encoding; 0: it has no octets. */
size_t whatwg_encode(const char *name, uint32_t c, unsigned char out[4]);

/* The four octets of a pointer of gb18030. */
void whatwg_four(uint32_t pointer, unsigned char p[4]);

#endif
