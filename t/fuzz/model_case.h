/* model_case.h - the interface between model_case.c and model_run.c */

#ifndef IRI_MODEL_CASE_H
#define IRI_MODEL_CASE_H

#include "model.h"

#define MODEL_WORDS 5

typedef struct {
    size_t               group;      /* of words and charsets */
    model_reading_conf_t reading;
    model_tree_conf_t    tree_conf;
    model_charsets_t     charsets;   /* all of them */
    model_list_t         words[MODEL_WORDS];   /* characters */
    int                  cached;
    int                  news;       /* 1: directories have recent times */
    model_list_t         prefix;     /* the part that root replaces */
    int                  slash;      /* 1: including the slash after it */
    model_tree_t         tree;
    model_node_t        *root;       /* the node of the site: /srv */
} model_case_t;

typedef struct {
    model_list_t path;
    int          escaped;
    model_list_t target;
    model_list_t sent;
    int          has_query;
    model_list_t query;
} model_request_t;

int  model_case_start(void);         /* 1: the lists of words exist */
void model_draw_case(model_source_t *source, model_case_t *c);
void model_draw_change(model_source_t *source, model_case_t *c);
void model_draw_request(model_source_t *source, const model_case_t *c,
                        model_request_t *request);

#endif /* IRI_MODEL_CASE_H */
