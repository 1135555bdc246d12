# Builds everything into build/ (GNU make).  `make help` lists the targets.

BUILD     ?= build
APXS      ?= apxs
NGINX_SRC ?= /usr/share/nginx/src
JOBS      ?= 2
# V=1 shows the commands.
V         ?= 0
Q         := $(if $(filter 0,$(V)),@)
QUIET     := $(if $(filter 0,$(V)),-s)
tell       = @echo '  $(1)'
ifeq ($(origin CC),default)
CC := gcc
endif
OPT       ?= -O2 -g
WARN      := -Wall -Wextra -Werror

# Where nginx is configured: absolute, since nginx builds in its own folder.
OUT        := $(abspath $(BUILD))
NGX_BUILD  := $(OUT)/nginx
# What IRI::Server of t/lib looks at, too.
export IRI_BUILD := $(OUT)
export CC APXS NGINX_SRC

# iri_types.h alone says which version this is.
VERSION    := $(shell sed -n 's/^.define IRI_VERSION "\(.*\)"$$/\1/p' \
                  common/iri_types.h)

# Where build/libiri.pc says that the library is.
PREFIX     ?= /usr/local
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

# ---- which compiler flags ----------------------------------------------------

# SANITIZE=address,undefined instruments all that is ours (see `make asan`).
ifdef SANITIZE
HARDEN     := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
              -fno-omit-frame-pointer
HARDEN_LD  := -fsanitize=$(SANITIZE)
else
HARDEN     := -fstack-protector-strong -D_FORTIFY_SOURCE=2
HARDEN_LD  := -Wl,-z,relro -Wl,-z,now
endif

ALL_CFLAGS  = -std=gnu99 $(OPT) -fPIC $(WARN) $(HARDEN) -Icommon $(CFLAGS) \
              $(CPPFLAGS)
ALL_LDFLAGS = $(HARDEN_LD) $(LDFLAGS)

# Asked for when first used, for the packages may come later; and once.
once        = $(eval $(1) := $(2))$($(1))
CORE_LIBS   = $(call once,CORE_LIBS,$(shell pkg-config --libs icu-i18n icu-uc libidn2))
APR_CFLAGS  = $(call once,APR_CFLAGS,$(shell pkg-config --cflags apr-1))
APR_LIBS    = $(call once,APR_LIBS,$(shell pkg-config --libs apr-1))
HTTPD_FLAGS = $(call once,HTTPD_FLAGS,$(shell \
                  $(APXS) -q EXTRA_CPPFLAGS) \
                  -I$(shell $(APXS) -q INCLUDEDIR) \
                  -I$(shell $(APXS) -q APR_INCLUDEDIR))

# ---- files -------------------------------------------------------------------

# The layers of the core, the lowest first.  Only iri_*_apr.c know APR: the
# nginx module is built without them.  common/iriref/ is in libiri.a alone.
LAYERS    := base unicode charset path index tree host config output request
ENV_SRC   := $(wildcard common/*/iri_*_apr.c)
CORE_SRC  := $(filter-out $(ENV_SRC),$(wildcard $(LAYERS:%=common/%/*.c)))
REF_SRC   := $(wildcard common/iriref/*.c)
# The public headers, in the order in which they are read.
API_H     := $(patsubst %,common/%.h,iri_types iri_host iri_conf iri \
                 iri_listing iri_dav iri_stats iri_request iri_ref)
CORE_H    := $(wildcard common/*.h $(LAYERS:%=common/%/*.h))
HTTPD_SRC := $(wildcard mod_iri/*.c)
CLI_SRC   := $(wildcard cli/*.c)
TEST_SRC  := $(wildcard t/core/test_*.c)
FAULT_SRC := t/core/fault.c
TEST_LIB  := $(filter-out $(TEST_SRC) $(FAULT_SRC),$(wildcard t/core/*.c))
NGX_FILES := config $(wildcard ngx_iri/*.[ch]) $(CORE_SRC) \
             $(CORE_H)

obj        = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
OBJECTS    = $(call obj,$(CORE_SRC) $(REF_SRC) $(ENV_SRC) $(HTTPD_SRC) $(CLI_SRC) \
               $(TEST_SRC) $(TEST_LIB) $(FAULT_SRC))
TESTS      = $(patsubst t/core/%.c,$(BUILD)/t/%,$(TEST_SRC))
BUILT      = $(BUILD)/libiri.a $(BUILD)/iri $(BUILD)/iri.1 \
             $(BUILD)/mod_iri.so \
             $(BUILD)/ngx_http_iri_module.so $(BUILD)/libiri.pc

# ---- building ----------------------------------------------------------------

all: need-build $(BUILT)   ## build both modules, the command and libiri.a

lib: need-lib $(BUILD)/libiri.a $(BUILD)/libiri.pc ## build the core alone

cli: need-cli $(BUILD)/iri $(BUILD)/iri.1 ## build the command alone

httpd: need-httpd $(BUILD)/mod_iri.so ## build mod_iri alone

nginx: need-nginx $(BUILD)/ngx_http_iri_module.so ## build ngx_iri alone

$(BUILD)/libiri.a: $(call obj,$(CORE_SRC) $(REF_SRC))
	$(call tell,AR $@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# For pkg-config.  Below PREFIX folders are written with it, so that
# --define-prefix finds them where all of it was moved.
under_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
$(BUILD)/libiri.pc: common/libiri.pc.in common/iri_types.h $(BUILD)/prefix
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBDIR@|$(call under_prefix,$(LIBDIR))|' \
	    -e 's|@INCLUDEDIR@|$(call under_prefix,$(INCLUDEDIR))|' $< > $@

$(BUILD)/iri: $(call obj,$(CLI_SRC) $(ENV_SRC)) $(BUILD)/libiri.a
	$(call tell,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ \
	    $(shell pkg-config --libs jansson zlib) $(APR_LIBS) $(CORE_LIBS)

$(BUILD)/iri.1: doc/make-manual $(BUILD)/iri
	$(Q)doc/make-manual $(BUILD)/iri > $@.new && mv $@.new $@

# A server that runs with the old module keeps it: nothing is written over it.
$(BUILD)/mod_iri.so: $(call obj,$(HTTPD_SRC) $(ENV_SRC)) $(BUILD)/libiri.a
	$(call tell,LD $@)
	$(Q)$(CC) -shared $(ALL_LDFLAGS) -o $@.new $^ $(CORE_LIBS) && mv $@.new $@

$(BUILD)/t/test_%: $(BUILD)/obj/t/core/test_%.o $(call obj,$(TEST_LIB)) \
                   $(call obj,$(ENV_SRC)) $(BUILD)/libiri.a
	@mkdir -p $(@D)
	$(call tell,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(TEST_LD) -o $@ $^ -Wl,--as-needed \
	    $(shell pkg-config --libs cmocka) $(APR_LIBS) $(CORE_LIBS)

# What of memory, files and ICU the core calls goes through t/core/fault.c,
# which lets it fail; what has no wrapper there does not link.
MAY_FAIL := u[a-z0-9]*_.*|[mc]alloc|realloc|free|clock_gettime
MAY_FAIL := $(MAY_FAIL)|[lf]?stat|opendir|readdir|closedir|idn2_.*
MAY_FAIL := $(MAY_FAIL)|__[lf]?stat64_time64|readdir64
$(BUILD)/t/test_torture: $(call obj,$(FAULT_SRC))
$(BUILD)/t/test_torture: TEST_LD = $(shell nm -u $(BUILD)/libiri.a | \
    grep -vE 'ucnv_reset|ucnv_setFallback|composePair|getCombiningClass' | \
    grep -vE 'hasBoundaryBefore|isInert' | \
    grep -vE 'u_charType|u_charDirection|u_hasBinaryProperty|u_isalpha|u_isdigit' | \
    grep -vE 'u_is(lower|upper)|u_tolower|uset_getItem' | \
    grep -vE 'u_mem|getIntPropertyValue|ubrk_(first|next)|utext_close' | \
    grep -vE 'setRestrictionLevel|ubidi_close' | \
    sed -nE 's/^ *U ($(MAY_FAIL))$$/-Wl,--wrap=\1/p' | \
    sort -u)

$(BUILD)/obj/mod_iri/%.o:            EXTRA = $(HTTPD_FLAGS)
$(call obj,$(HTTPD_SRC)): $(BUILD)/flags.httpd
$(call obj,$(ENV_SRC)):              EXTRA = $(APR_CFLAGS)
$(BUILD)/obj/cli/%.o:                EXTRA = $(APR_CFLAGS)
# A row of a table may end before its last columns.
$(BUILD)/obj/t/core/%.o:             EXTRA = $(APR_CFLAGS) \
    -Wno-missing-field-initializers -Wno-unused-parameter

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call tell,CC $<)
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<

-include $(OBJECTS:.o=.d)

# Files whose text is what a build was made from, new only if that changed.
define note
	@mkdir -p $(@D)
	@echo '$(1)' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
endef

# All is built again when the compiler or its flags are others.
$(BUILD)/flags: FORCE
	$(call note,$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS))

# A module, when its server is another.
$(BUILD)/flags.httpd: FORCE
	$(call note,$(APXS))

$(BUILD)/flags.nginx: FORCE
	$(call note,$(NGINX_SRC))

$(BUILD)/prefix: FORCE
	$(call note,$(PREFIX) $(LIBDIR) $(INCLUDEDIR))

# nginx is configured again, otherwise, when there is another source file, or
# in a copy of this tree: what configure writes has absolute paths.
$(BUILD)/nginx.files: FORCE
	$(call note,$(CURDIR) $(OUT) $(NGX_ADD) \
	    $(strip $(subst ',,$(NGX_FLAGS))) $(NGX_FILES))

# ---- the nginx module --------------------------------------------------------

# nginx's own build of an addon, out of its source tree.  A tree of Debian's
# nginx-dev says how its nginx was configured (a bash array); any other is
# configured with NGX_FLAGS, of which these make a module of the signature that
# most packages of nginx have.  It is configured by way of links, for it writes
# a Makefile beside its sources.
NGX_FLAGS ?= --with-compat --with-threads
NGX_ADD   ?= --add-dynamic-module
NGX_CC    := $(OPT) -fPIC $(HARDEN) $(CFLAGS) $(CPPFLAGS)
NGX_LD    := $(HARDEN_LD) $(LDFLAGS)
NGX_TREE   = $(if $(wildcard $(NGINX_SRC)/conf_flags),$(NGINX_SRC),$\
               $(NGX_BUILD)/src)
export NGX_FLAGS

$(NGX_BUILD)/Makefile: config $(BUILD)/flags $(BUILD)/flags.nginx \
                       $(BUILD)/nginx.files
	$(call tell,configure nginx in $(NGINX_SRC))
	@rm -rf $(NGX_BUILD) && mkdir -p $(NGX_BUILD)
	@[ -f $(NGINX_SRC)/conf_flags ] || { \
	    cp -rs $(abspath $(NGINX_SRC)) $(NGX_BUILD)/src && \
	    rm -rf $(NGX_BUILD)/src/Makefile $(NGX_BUILD)/src/objs; }
	@cd $(NGX_TREE) && bash -c ' \
	    if [ -f conf_flags ]; then . ./conf_flags; \
	    else eval "NGX_CONF_FLAGS=($$NGX_FLAGS)"; fi; \
	    configure=./configure; \
	    [ -f $$configure ] || configure=./auto/configure; \
	    exec $$configure "$${NGX_CONF_FLAGS[@]}" --with-cc="$(CC)" \
	        --with-cc-opt="$(NGX_CC)" --with-ld-opt="$(NGX_LD)" \
	        $(NGX_ADD)=$(CURDIR) --builddir=$(NGX_BUILD)' \
	    > $(NGX_BUILD)/configure.log 2>&1 || \
	    { cat $(NGX_BUILD)/configure.log; rm -f $@; exit 1; }

# nginx's makefile has a CFLAGS of its own, which CFLAGS=... must not replace.
$(BUILD)/ngx_http_iri_module.so: MAKEOVERRIDES =
$(BUILD)/ngx_http_iri_module.so: $(NGX_BUILD)/Makefile $(NGX_FILES)
	$(call tell,CC ngx_iri and common for nginx)
	$(Q)$(MAKE) $(QUIET) -C $(NGX_TREE) -f $(NGX_BUILD)/Makefile modules
	$(Q)cp $(NGX_BUILD)/ngx_http_iri_module.so $@.new && mv $@.new $@

# ---- what the system must have -----------------------------------------------

need-build need-lib need-cli need-httpd need-nginx: need-%:
	@.ci/deps $*

deps:          ## install the missing Debian packages (asks at a terminal)
	@.ci/deps --install

need-run:
	@.ci/deps --install build run

need-test:
	@.ci/deps --install build run test

# ---- running and testing -----------------------------------------------------

# The rest is made by a second make: it may run in parallel once the packages
# are there.
again = $(MAKE) --no-print-directory \
        $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
run: need-run  ## see it work: a sample tree on both servers, until Ctrl-C
	@+$(again) all
	@perl t/run/run

test: need-test ## build, then all tests
	@+$(again) all unit
	@$(MAKE) --no-print-directory prove

unit: $(TESTS)

# TESTS_ARE=t/cli-explain.t runs one file only.
TESTS_ARE ?= $(wildcard t/*.t) $(TESTS)
prove:
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j$(JOBS) -It/lib --timer $(TESTS_ARE)

names: need-test ## every word of t/words.t, not a sample
	@+$(again) all
	IRI_ALL_NAMES=1 prove -It/lib -v t/words.t

api:           ## the reference of the library, made from the public headers
	$(Q)perl doc/make-api $(BUILD) $(API_H)

# Servers load our instrumented modules: IRI::Server preloads the sanitizers'
# libraries, and reports in its logs fail a test.
asan: need-test ## the whole suite with ASan and UBSan, servers included
	@IRI_ASAN=1 ASAN_OPTIONS=detect_leaks=0 $(MAKE) --no-print-directory \
	    BUILD=$(BUILD)/asan SANITIZE=address,undefined OPT='-O1 -g' CC=gcc test

include install.mk
include t/long.mk

# ---- housekeeping ------------------------------------------------------------

# Headers are set by hand.
C_FILES = $(wildcard common/*/*.c mod_iri/*.c ngx_iri/*.c cli/*.c t/core/*.c \
              t/fuzz/*.c t/churn/*.c t/torture/*.c \
              doc/examples/*.c)

format:        ## put all C files in form
	clang-format -i $(C_FILES)

check-format:  ## say which C files are not in form
	clang-format --dry-run --Werror $(C_FILES)

clean:         ## remove all that was made
	rm -rf $(BUILD)

distclean: clean

help:          ## this list
	@echo "make [TARGET] [CC=...] [CFLAGS=...] [APXS=...] [NGINX_SRC=dir] [V=1]"
	@echo "     [PREFIX=dir] [DESTDIR=dir]"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1	\2/p' \
	    Makefile install.mk t/long.mk | \
	    expand -t 20

FORCE:

.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all
.PHONY: all lib cli httpd nginx need-build need-lib need-cli need-httpd \
    need-nginx deps need-run need-test run test \
    unit prove names api asan format check-format clean distclean help FORCE
