/*
 * test_detect.c - iri_detect(): the charset in which names seem to be encoded
 *
 * Words of each language are encoded in each charset that was used for it, and
 * must be decoded to the same words.  t/advise/accuracy counts errors for many
 * words.
 */

#include "core.h"

typedef struct {
    const char *charset;
    const char *words[8]; /* the last one is NULL */
} detect_row_t;

static const detect_row_t rows[] = {
    { "Shift_JIS", { "日本語", "案内", "お知らせ", "表", NULL } },
    { "EUC-JP", { "日本語", "案内", "お知らせ", "カレンダー", NULL } },
    { "gb18030", { "关于我们", "新闻", "产品", "联系方式", NULL } },
    { "Big5", { "關於我們", "新聞", "產品", "聯絡", NULL } },
    { "EUC-KR", { "회사소개", "게시판", "자료실", NULL } },
    { "windows-1252", { "été", "forêt", "garçon", "où", NULL } },
    { "macintosh", { "été", "forêt", "garçon", "où", NULL } },
    { "windows-1251", { "Новости", "контакты", "Отчёт", NULL } },
    { "KOI8-R", { "Новости", "контакты", "Отчёт", NULL } },
    { "IBM866", { "Новости", "контакты", "Отчёт", NULL } },
    { "windows-1250", { "łąka", "źródło", "książka", "żółw", NULL } },
    { "ISO-8859-2", { "łąka", "źródło", "książka", "żółw", NULL } },
    { "windows-1253", { "Αρχική", "σελίδα", "νέα", "ελληνικά", NULL } },
    { "windows-1254", { "ığdır", "şehir", "güneş", "çağrı", NULL } },
    { "windows-1255", { "שלום", "ירושלים", "תמונות", "אודות", NULL } },
    { "windows-1256", { "الصفحة", "أخبار", "اتصال", "معلومات", NULL } },
    { "windows-874", { "หน้าแรก", "ข่าว", "ติดต่อ", "สินค้า", NULL } },
};


static size_t
detect_words(const detect_row_t *row, iri_str_t *names)
{
    iri_tree_conf_t tree = core_tree(row->charset, IRI_FILENAME_ANY, 0);
    size_t          count;

    for (count = 0; row->words[count] != NULL; count++) {
        assert_ok(iri_name_octets(
            &core.env, &tree, core_str(row->words[count]), 0, &names[count]));
        assert_int_not_equal(names[count].len, 0);
    }

    return count;
}


TEST(test_words)
{
    iri_detected_t  detected[IRI_DETECTABLE];
    iri_sample_t    sample = { NULL, 0, NULL, NULL };
    iri_str_t       names[8], name;
    iri_tree_conf_t tree;
    size_t          i, k, best;

    for (i = 0; i < COUNT(rows); i++) {
        sample.names = names;
        sample.count = detect_words(&rows[i], names);
        assert_ok(iri_detect(&core.env, core_detector(), &sample, detected));
        best = iri_detected_best(detected);
        assert_true(detected[best].score > 0);
        assert_int_equal(detected[best].count, sample.count);

        /* Another charset may give the same words. */
        tree = core_tree((const char *) iri_charset_name(
                             iri_detector_charset(core_detector(), best))
                             .data,
                         IRI_FILENAME_ANY, 0);
        for (k = 0; k < sample.count; k++) {
            assert_ok(iri_entry_name(&core.env, &tree, names[k], &name));
            assert_str(name, core_str(rows[i].words[k]));
        }
    }
}


/* Charsets that give the same text have the same hash, others have not. */
TEST(test_text)
{
    static const char *const latin[] = { "windows-1252", "ISO-8859-15",
                                         "windows-1254", "windows-1251" };
    iri_detected_t           detected[IRI_DETECTABLE];
    iri_str_t                name = core_str("\xE9t\xE9");
    iri_sample_t             sample = { &name, 1, NULL, NULL };
    uint64_t                 text[COUNT(latin)] = { 0 };
    size_t                   i, k;

    assert_ok(iri_detect(&core.env, core_detector(), &sample, detected));

    for (i = 0; i < IRI_DETECTABLE; i++) {
        for (k = 0; k < COUNT(latin); k++) {
            if (iri_detector_charset(core_detector(), i)
                == core_charset(latin[k])) {
                text[k] = detected[i].text;
            }
        }
    }

    assert_true(text[0] != 0 && text[0] == text[1] && text[0] == text[2]);
    assert_true(text[0] != text[3]);
    assert_null(iri_detector_charset(core_detector(), IRI_DETECTABLE));
}


static int
is_known(void *arg, iri_str_t name)
{
    return iri_str_equal(name, *(const iri_str_t *) arg);
}


/* Names that clients ask for are counted, and do not change the score. */
TEST(test_known)
{
    iri_detected_t detected[IRI_DETECTABLE], without[IRI_DETECTABLE];
    iri_str_t      name = core_str("\xE4\xF6"), known = core_str("дц");
    iri_sample_t   sample = { &name, 1, is_known, &known };
    size_t         i;

    assert_ok(iri_detect(&core.env, core_detector(), &sample, detected));
    sample.is_known = NULL;
    assert_ok(iri_detect(&core.env, core_detector(), &sample, without));
    for (i = 0; i < IRI_DETECTABLE; i++) {
        assert_int_equal(without[i].score, detected[i].score);
        assert_int_equal(without[i].known, 0);
        if (iri_detector_charset(core_detector(), i)
            == core_charset("windows-1251")) {
            assert_int_equal(detected[i].known, 1);
        }
    }
    assert_int_equal(detected[iri_detected_best(detected)].known, 0);
}


/* What no charset decodes has negative scores. */
TEST(test_none)
{
    iri_detected_t detected[IRI_DETECTABLE];
    iri_str_t      name = core_str("\x01\xFF\x80\xFF\x01");
    iri_sample_t   sample = { &name, 1, NULL, NULL };

    assert_ok(iri_detect(&core.env, core_detector(), &sample, detected));
    assert_true(detected[iri_detected_best(detected)].score < 0);
    sample.count = 0;
    assert_ok(iri_detect(&core.env, core_detector(), &sample, detected));
    assert_int_equal(detected[0].count, 0);
}
