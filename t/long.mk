# The long runs, which take minutes or hours; `make test` runs a sample of
# each, except those under "analysis". Included by the Makefile.

# ---- against running servers -------------------------------------------------

DENIAL_REQUESTS ?= 100000
denial: need-test ## spellings of denied names, DENIAL_REQUESTS a server
	@+$(again) all
	IRI_DENIAL=$(DENIAL_REQUESTS) prove -It/lib -v t/denial.t t/denial-dav.t

# CONFIGS are for each server; IRI_SEED repeats a run.
CONFIGS ?= 20000
configs: need-test ## random configurations against the servers themselves
	@+$(again) all
	@rm -f $(BUILD)/configs.txt
	IRI_BUILD=$(abspath $(BUILD)) t/configs/configs --configs=$(CONFIGS) \
	    --jobs=$(JOBS) --cases=40 --shrink=40 --out=$(BUILD)/configs.txt

# IRI_SEED is the first site.
ADVISE_SITES ?= 1000
advise: need-test ## proposals of iri advise, for ADVISE_SITES random sites
	@+$(again) cli
	t/advise/accuracy --sites=$(ADVISE_SITES) --seed=$(or $(IRI_SEED),1)

CHURN_SECONDS ?= 120
churn: need-test ## names, links and configurations change under load
	@+$(again) all $(CHURN)
	IRI_CHURN=$(CHURN_SECONDS) prove -It/lib -v t/churn.t

# The program that changes the tree and judges responses.
CHURN     := $(BUILD)/t/churn/churn
CHURN_OBJ := $(call obj,$(wildcard t/churn/*.c))
unit: $(CHURN)
$(CHURN): $(CHURN_OBJ)
	@mkdir -p $(@D)
	$(call tell,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -pthread -o $@ $^
$(BUILD)/obj/t/churn/%.o: EXTRA = -D_GNU_SOURCE -pthread
-include $(CHURN_OBJ:.o=.d)

# ---- what it costs -----------------------------------------------------------

# BENCH are groups of t/bench/bench, by default all; BENCH_OPTIONS its options.
# Directories of up to 1,000,000 names are created once, below
# build/bench/trees.
BENCHED := $(BUILD)/bench
bench: need-bench ## cost of the module, into build/bench; BENCH=fold: one group
	@+$(again) all
	@t/bench/bench --out=$(BENCHED) $(BENCH_OPTIONS) $(BENCH)

bench-quick: need-bench ## a few requests of nginx and httpd, and the start
	@+$(again) all
	@t/bench/bench --quick --out=$(BENCHED)/quick --trees=$(BENCHED)/trees \
	    $(BENCH_OPTIONS)

bench-doc:     ## the summary of make bench into doc/performance.md
	@t/bench/report $(BENCHED) doc/performance.md doc/pictures

bench-clean:   ## remove the trees and tables of make bench
	rm -rf $(BENCHED)

need-bench: need-test
	@.ci/deps --install bench

INDEX_SECONDS ?= 60
INDEX_NAMES   ?= 100000
index-churn: need-test ## an indexed directory that changes under load
	@+$(again) all unit
	IRI_INDEX_CHURN=$(INDEX_SECONDS) IRI_INDEX_NAMES=$(INDEX_NAMES) \
	    prove -It/lib -v t/index-churn.t

.PHONY: bench bench-quick bench-doc bench-clean need-bench index-churn

# ---- WebDAV clients ----------------------------------------------------------

dav-clients: need-dav ## litmus, cadaver, rclone, davfs2, svn; a Mac's names
	@+$(again) all
	IRI_DAV_CLIENTS=all prove -It/lib -v t/webdav-clients.t t/httpd-svn.t

need-dav: need-test
	@.ci/deps --install dav

.PHONY: dav-clients need-dav

# ---- applications ------------------------------------------------------------

applications: need-applications ## WordPress, MediaWiki, DokuWiki, Laravel, Django
	@+$(again) all
	IRI_APPLICATIONS=all prove -It/lib -v t/applications.t

need-applications: need-test
	@.ci/deps --install applications

.PHONY: applications need-applications

# ---- modules of others -------------------------------------------------------

third-party: need-third-party ## modules of others in one server with ours
	@+$(again) all
	IRI_THIRD_PARTY=all prove -It/lib t/third-party.t

need-third-party: need-test
	@.ci/deps --install third-party

.PHONY: third-party need-third-party

# ---- in a browser ------------------------------------------------------------

# Screenshots of the walk are written to PICTURES, if it is set.
PLAYWRIGHT := $(BUILD)/browser/node_modules/playwright-core
browser: $(PLAYWRIGHT) ## listings and the status page in a browser
	@+$(again) all $(BUILD)/t/test_stats
	IRI_PICTURES=$(abspath $(PICTURES)) prove -It/lib -v t/browser

pictures:              ## make the pictures of doc/ again
	@+$(again) browser PICTURES=doc/pictures
	@ls $(BENCHED)/*.tsv >/dev/null 2>&1 || exit 0; \
	    t/bench/report $(BENCHED) doc/performance.md doc/pictures

$(PLAYWRIGHT): t/browser/package.json | need-browser
	@mkdir -p $(BUILD)/browser
	cp t/browser/package.json $(BUILD)/browser
	npm install --prefix $(BUILD)/browser --no-audit --no-fund
	@touch $@

need-browser: need-test
	@.ci/deps --install browser

.PHONY: browser pictures need-browser

# ---- versions ----------------------------------------------------------------

# NGINX_SRCS are source trees of nginx; for each a server is built twice, with
# the module loaded and with the module compiled in, and nginx's tests are run
# with it. VERSIONS_TESTS are their files.
VERSIONS_TESTS ?= $(wildcard t/nginx-*.t t/cases-*.t) t/attacks.t \
                  t/debug-log.t t/host.t \
                  t/listing-names.t t/guides.t \
                  t/configs.t t/denial.t t/compatibility.t
VERSIONS_TESTS := $(filter-out t/cases-core.t t/cases-httpd.t,\
                    $(VERSIONS_TESTS))
versions: need-versions ## tests with the nginx of each of NGINX_SRCS="dir dir"
	@+$(again) all unit
	@JOBS=$(JOBS) VERSIONS_TESTS='$(VERSIONS_TESTS)' \
	    t/versions/nginx $(OUT) $(NGINX_SRCS)

need-versions: need-test
	@.ci/deps --install versions

# The server, and the module if it is not compiled in.
nginx-server: $(NGX_BUILD)/Makefile
	$(call tell,CC nginx of $(NGINX_SRC))
	$(Q)$(MAKE) $(QUIET) MAKEOVERRIDES= -C $(NGX_TREE) \
	    -f $(NGX_BUILD)/Makefile binary modules

# CROSS are architectures of Debian; the packages that the core needs are
# unpacked below build/cross, only the compilers are installed.
CROSS ?= arm64 s390x i386 musl
cross: need-cross ## the core and its tests for other machines, CROSS=s390x
	@JOBS=$(JOBS) t/versions/cross $(OUT)/cross $(CROSS)

need-cross: need-build
	@.ci/deps --install cross

core-tests: $(TESTS)

.PHONY: versions need-versions nginx-server cross need-cross core-tests

# ---- servers under torture ---------------------------------------------------

# Both modules are linked again, so that each of their calls can fail.
TORTURE     := $(BUILD)/torture
TORTURE_SO  := $(TORTURE)/mod_iri.so $(TORTURE)/ngx_http_iri_module.so
TORTURE_OBJ := $(call obj,$(wildcard t/torture/*.c))
TORTURE_OF   = $(call obj,t/torture/fail.c t/torture/fail_$(1).c)
unit: $(TORTURE_SO)

torture-servers: need-test ## each allocation and file call in servers fails
	@+$(again) all $(TORTURE_SO)
	IRI_TORTURE=all prove -It/lib -v t/torture.t

$(TORTURE)/mod_iri.so: $(call obj,$(HTTPD_SRC) $(ENV_SRC) $(CORE_SRC)) \
                       $(call TORTURE_OF,httpd) t/torture/relink
	@mkdir -p $(@D)
	$(call tell,LD $@)
	$(Q)t/torture/relink $@ '$(filter-out $(TORTURE_OBJ) t/%,$^)' \
	    '$(call TORTURE_OF,httpd)' $(ALL_LDFLAGS) $(CORE_LIBS)

$(TORTURE)/ngx_http_iri_module.so: $(BUILD)/ngx_http_iri_module.so \
                       $(call TORTURE_OF,nginx) t/torture/relink
	@mkdir -p $(@D)
	$(call tell,LD $@)
	$(Q)t/torture/relink $@ "$$(echo $(NGX_BUILD)/addon/*/*.o \
	    $(NGX_BUILD)/ngx_http_iri_module_modules.o)" \
	    '$(call TORTURE_OF,nginx)' $(ALL_LDFLAGS) $(CORE_LIBS)

$(BUILD)/obj/t/torture/%.o: EXTRA = -D_GNU_SOURCE $(APR_CFLAGS)
-include $(TORTURE_OBJ:.o=.d)

.PHONY: torture-servers

# ---- analysis ----------------------------------------------------------------

need-check:
	@.ci/deps --install build run test check

# The headers of nginx are complete once it is configured.
analyze: need-check ## static analysers; every finding needs an explanation
	@+$(again) $(NGX_BUILD)/Makefile
	@HTTPD_FLAGS='$(HTTPD_FLAGS)' NGX_BUILD='$(NGX_BUILD)' JOBS=$(JOBS) \
	    t/analysis/analyze $(BUILD)/analyze

# A build of its own, with counters. Workers of servers, which run as other
# users, write their counters to the same files.
COVERED  := $(BUILD)/coverage
COUNTERS := --coverage -fprofile-update=atomic
COVERAGE := umask 0; $(MAKE) --no-print-directory BUILD=$(COVERED) CC=gcc \
            OPT='-O0 -g' HARDEN='$(COUNTERS)' HARDEN_LD='$(COUNTERS)'
# These tests inspect the build or the module's calls, or link without
# counters.
UNCOVERED := t/build.t t/library.t t/torture.t
coverage: need-check ## lines and branches of common/ that the suite runs
	@rm -rf $(COVERED)
	@+$(COVERAGE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) \
	    all unit
	@+$(COVERAGE) TESTS_ARE='$(filter-out $(UNCOVERED),$(wildcard t/*.t)) \
	    $(patsubst t/core/%.c,$(COVERED)/t/%,$(TEST_SRC))' prove
	@t/analysis/coverage $(COVERED)

# MUTANTS is the number of mutants, MUTANTS_RATE the percentage that tests must
# notice; IRI_SEED repeats a choice.
mutants: need-test ## tests fail if an operator of the core is changed
	@JOBS=$(JOBS) t/mutants/run $(BUILD)/mutants

mutants-servers: need-test ## the same for both modules
	@JOBS=$(JOBS) t/mutants/run --servers $(BUILD)/mutants-servers

.PHONY: need-check analyze coverage mutants mutants-servers

# ---- of the core -------------------------------------------------------------

sweep: need-test ## all characters as hosts and in folding keys
	@+$(again) unit
	IRI_SWEEP=all CMOCKA_MESSAGE_OUTPUT=TAP prove -j$(JOBS) -v \
	    $(BUILD)/t/test_host_all $(BUILD)/t/test_fold

torture: need-test ## each call below the core fails once; then with ASan
	@+$(again) unit
	IRI_TORTURE=all CMOCKA_MESSAGE_OUTPUT=TAP prove -v $(BUILD)/t/test_torture
	@+$(again) BUILD=$(BUILD)/asan SANITIZE=address,undefined OPT='-O1 -g' \
	    CC=gcc $(BUILD)/asan/t/test_torture
	ASAN_OPTIONS=detect_leaks=1 CMOCKA_MESSAGE_OUTPUT=TAP \
	    prove -v $(BUILD)/asan/t/test_torture

# ---- fuzzing -----------------------------------------------------------------

# A target is t/fuzz/fuzz_NAME.c.
FUZZ_SECONDS ?= 60
FUZZ_RUNS    ?= -1
# Coverage of the core only; counting comparisons, too, would double the time.
FUZZ_COVERS  := inline-8bit-counters,pc-table
FUZZ_SRC     := $(wildcard t/fuzz/fuzz_*.c)
FUZZ_NAMES   := $(patsubst t/fuzz/fuzz_%.c,%,$(FUZZ_SRC))
FUZZ         ?= $(FUZZ_NAMES)
FUZZ_LIB     := $(addprefix t/fuzz/,fuzz.c tree.c oracle.c)
FUZZ_CLI     := $(filter-out cli/main.c,$(CLI_SRC))
FUZZ_OBJECTS  = $(call obj,$(wildcard t/fuzz/*.c))
REPLAYS       = $(patsubst %,$(BUILD)/t/replay_%,$(FUZZ_NAMES))
FUZZERS       = $(patsubst %,$(BUILD)/fuzz_%,$(FUZZ_NAMES))
fuzz_linked   = $(filter %.o,$^) $(BUILD)/libiri.a -Wl,--as-needed \
                $(shell pkg-config --libs jansson zlib) $(APR_LIBS) $(CORE_LIBS)

fuzz: need-fuzz ## libFuzzer for FUZZ_SECONDS a target; FUZZ=NAME, FUZZ_RUNS=N
	@+$(again) BUILD=$(BUILD)/fuzz CC=clang SANITIZE=address,undefined \
	    OPT='-O2 -g' CFLAGS=-fsanitize-coverage=$(FUZZ_COVERS) \
	    FUZZ_PLAIN=-fno-sanitize-coverage=$(FUZZ_COVERS) fuzzers
	@perl t/fuzz/fuzz run $(BUILD)/fuzz $(FUZZ_SECONDS) $(FUZZ_RUNS) $(FUZZ)

fuzz-corpus: need-fuzz ## after make fuzz: write t/fuzz/corpus/NAME.txt again
	@perl t/fuzz/fuzz corpus $(BUILD)/fuzz $(FUZZ)

need-fuzz: need-test
	@.ci/deps --install fuzz

fuzzers: $(patsubst %,$(BUILD)/fuzz_%,$(FUZZ))

# Programs that replay the corpus in `make test`, built with any compiler.
unit: $(REPLAYS)

$(BUILD)/obj/t/fuzz/%.o: EXTRA = -Icommon -Icli $(APR_CFLAGS) $(FUZZ_PLAIN)

$(FUZZERS): $(BUILD)/fuzz_%: $(BUILD)/obj/t/fuzz/fuzz_%.o \
    $(call obj,$(FUZZ_LIB) $(FUZZ_CLI) $(ENV_SRC)) $(BUILD)/libiri.a
	$(call tell,LD $@)
	$(Q)$(CC) -fsanitize=fuzzer $(ALL_LDFLAGS) -o $@ $(fuzz_linked)

$(REPLAYS): $(BUILD)/t/replay_%: $(BUILD)/obj/t/fuzz/fuzz_%.o \
    $(call obj,$(FUZZ_LIB) t/fuzz/replay.c $(FUZZ_CLI) $(ENV_SRC)) \
    $(BUILD)/libiri.a
	@mkdir -p $(@D)
	$(call tell,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(fuzz_linked)

-include $(FUZZ_OBJECTS:.o=.d)

.PHONY: fuzz fuzz-corpus need-fuzz fuzzers

.PHONY: denial configs churn sweep torture
