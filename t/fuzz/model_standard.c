/*
 * model_standard.c - the charsets of the model: those of the Encoding Standard
 */

#include "../core/whatwg.c"
