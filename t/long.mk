# The long runs: what takes minutes or hours, with a bounded sample of each in
# `make test`.  Included by the Makefile.

# ---- against running servers -------------------------------------------------

DENIAL_REQUESTS ?= 100000
denial: need-test ## spellings of denied names, DENIAL_REQUESTS a server
	@+$(again) all
	IRI_DENIAL=$(DENIAL_REQUESTS) prove -It/lib -v t/denial.t

CHURN_SECONDS ?= 120
churn: need-test ## names, links and configurations change under load
	@+$(again) all $(CHURN)
	IRI_CHURN=$(CHURN_SECONDS) prove -It/lib -v t/churn.t

# What changes the tree and judges the answers.
CHURN     := $(BUILD)/t/churn/churn
CHURN_OBJ := $(call obj,$(wildcard t/churn/*.c))
unit: $(CHURN)
$(CHURN): $(CHURN_OBJ)
	@mkdir -p $(@D)
	$(call tell,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -pthread -o $@ $^
$(BUILD)/obj/t/churn/%.o: EXTRA = -D_GNU_SOURCE -pthread
-include $(CHURN_OBJ:.o=.d)

# ---- analysis ----------------------------------------------------------------

need-check:
	@.ci/deps --install build run test check

# The headers of nginx are complete once it is configured.
analyze: need-check ## static analysers, all findings explained
	@+$(again) $(NGX_BUILD)/Makefile
	@HTTPD_FLAGS='$(HTTPD_FLAGS)' NGX_BUILD='$(NGX_BUILD)' JOBS=$(JOBS) \
	    t/analysis/analyze $(BUILD)/analyze

# A build of its own, with counters.  Workers of servers, who are other users,
# write their counts into the same files.
COVERED  := $(BUILD)/coverage
COUNTERS := --coverage -fprofile-update=atomic
COVERAGE := umask 0; $(MAKE) --no-print-directory BUILD=$(COVERED) CC=gcc \
            OPT='-O0 -g' HARDEN='$(COUNTERS)' HARDEN_LD='$(COUNTERS)'
coverage: need-check ## lines and branches of common/ that the suite runs
	@+$(COVERAGE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) \
	    all unit
	@find $(COVERED) -name '*.gcda' -delete
	@+$(COVERAGE) TESTS_ARE='$(filter-out t/build.t,$(wildcard t/*.t)) \
	    $(patsubst t/core/%.c,$(COVERED)/t/%,$(TEST_SRC))' prove
	@t/analysis/coverage $(COVERED)

.PHONY: need-check analyze coverage

# ---- of the core -------------------------------------------------------------

sweep: need-test ## every character and every sequence of every charset
	@+$(again) unit
	IRI_SWEEP=all CMOCKA_MESSAGE_OUTPUT=TAP prove -v $(BUILD)/t/test_sweep

.PHONY: denial churn sweep
