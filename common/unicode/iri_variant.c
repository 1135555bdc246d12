/*
 * iri_variant.c - JIS vendor pairs
 *
 * JIS X 0208 and Microsoft's code pages decode some octets of Shift_JIS and
 * EUC-JP as different characters (design 5.3).
 */

#include "unicode/iri_unicode.h"


static const struct {
    uint16_t vendor;
    uint16_t jis;
} iri_variants[] = {
    { 0xff5e, 0x301c }, /* wave dash */
    { 0x2225, 0x2016 }, /* double vertical line */
    { 0xff0d, 0x2212 }, /* minus */
    { 0xffe0, 0x00a2 }, /* cent */
    { 0xffe1, 0x00a3 }, /* pound */
    { 0xffe2, 0x00ac }, /* not */
    { 0x2015, 0x2014 }, /* dash */
    { 0xffe4, 0x00a6 }, /* broken bar */
};


uint32_t
iri_jis_variant(uint32_t c, int jis)
{
    size_t i;

    for (i = 0; i < sizeof(iri_variants) / sizeof(iri_variants[0]); i++) {
        if (c == iri_variants[i].vendor || c == iri_variants[i].jis) {
            return jis ? iri_variants[i].jis : iri_variants[i].vendor;
        }
    }

    return c;
}
