/*
 * model_standard.c - the charsets of the model are those of the Encoding
 * Standard
 */

#include "../core/whatwg.c"
