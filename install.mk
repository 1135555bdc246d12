# `make install`, `make uninstall`: what goes where; `make dist`, `make deb`.
# Included by the Makefile.
#
# A module goes where its server looks for modules, all else below PREFIX;
# DESTDIR stands before all of it.  Nothing is enabled: that is for the person
# who runs the server.

BINDIR  ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
MANDIR  ?= $(DATADIR)/man
DOCDIR  ?= $(DATADIR)/doc/iri
BASHDIR ?= $(DATADIR)/bash-completion/completions
ZSHDIR  ?= $(DATADIR)/zsh/site-functions

# ---- where the servers look --------------------------------------------------

HTTPD_MODULES ?= $(call once,HTTPD_MODULES,$(shell \
                     $(APXS) -q LIBEXECDIR 2>/dev/null))

# The nginx that is asked is that of NGINX_SRC; Debian's tree of sources knows
# it, too.  One without --modules-path has them below its prefix.
NGINX         ?= $(if $(filter /usr/share/nginx/src,$(NGINX_SRC)),nginx)
NGINX_MODULES ?= $(call once,NGINX_MODULES,$(shell $(ASK_NGINX)))
ASK_NGINX      = \
    PATH="$$PATH:/usr/local/sbin:/usr/sbin"; \
    if command -v '$(NGINX)' >/dev/null; \
    then said=`$(NGINX) -V 2>&1`; \
    else said=`cat $(NGINX_SRC)/conf_flags 2>/dev/null`; \
    fi || exit 0; \
    says() { echo "$$said" | tr ' ' '\n' | sed -n "s/^--$$1=//p"; }; \
    prefix=`says prefix`; modules=`says modules-path`; \
    case $$modules in \
    /*) echo "$$modules";; \
    *)  echo "$${prefix:-/usr/local/nginx}/$${modules:-modules}";; \
    esac

# ---- what goes there: FILE:TARGET:MODE ---------------------------------------

PARTS := lib cli httpd nginx docs

FILES_lib   = $(BUILD)/libiri.a:$(LIBDIR)/libiri.a:644 \
              $(BUILD)/libiri.pc:$(LIBDIR)/pkgconfig/libiri.pc:644 \
              $(foreach header,$(API_H),$\
                  $(header):$(INCLUDEDIR)/$(notdir $(header)):644) \
              $(BUILD)/api.md:$(DOCDIR)/doc/api.md:644 \
              $(foreach page,$(shell cd $(BUILD) && ls man/man3/*.3 \
                  2>/dev/null),$(BUILD)/$(page):$(MANDIR)/$(page:man/%=%):644)
FILES_cli   = $(BUILD)/iri:$(BINDIR)/iri:755 \
              $(BUILD)/iri.1:$(MANDIR)/man1/iri.1:644 \
              cli/completion/iri.bash:$(BASHDIR)/iri:644 \
              cli/completion/_iri:$(ZSHDIR)/_iri:644
FILES_httpd = $(BUILD)/mod_iri.so:$(HTTPD_MODULES)/mod_iri.so:644
NGINX_SO    = $(NGINX_MODULES)/ngx_http_iri_module.so
FILES_nginx = $(BUILD)/ngx_http_iri_module.so:$(NGINX_SO):644

# In folders as here, for they have links to each other.
DOCS        = README.md CHANGES.md SECURITY.md CONTRIBUTING.md LICENSE \
              mod_iri/example.conf ngx_iri/example.conf \
              $(filter-out doc/make-api doc/make-manual,$(shell find doc -type f))
FILES_docs  = $(foreach file,$(DOCS),$(file):$(DOCDIR)/$(file):644)

# ---- there and away ----------------------------------------------------------

# Lists of make end at blanks: what is behind one would be another file, to be
# removed here, say.
PLACES    = PREFIX BINDIR DATADIR MANDIR DOCDIR BASHDIR ZSHDIR LIBDIR \
            INCLUDEDIR HTTPD_MODULES NGINX_MODULES
BLANKS    = $(strip $(foreach place,$(PLACES), \
                $(if $(filter-out 0 1,$(words $($(place)))),$(place))))
no_blanks = $(if $(BLANKS),$(error $(BLANKS): no blanks may be in it))

# A server that runs keeps the file that it has: the new one gets another name
# until it is whole.
define put
$(no_blanks)
$(Q)set -e; for one in $(1); do \
    file=$${one%%:*}; mode=$${one##*:}; one=$${one%:*}; \
    target='$(DESTDIR)'$${one#*:}; \
    echo "  INSTALL $$target"; \
    install -D -m "$$mode" "$$file" "$$target.new"; \
    mv -fT "$$target.new" "$$target"; \
done
endef

define take
$(no_blanks)
$(Q)for one in $(1); do \
    one=$${one%:*}; target='$(DESTDIR)'$${one#*:}; \
    [ ! -e "$$target" ] || { echo "  REMOVE $$target"; rm -f "$$target"; }; \
done
endef

install: $(PARTS:%=install-%)     ## as root: modules, command, library, docs

install-httpd: need-httpd known-httpd httpd ## mod_iri alone
	$(call put,$(FILES_httpd))
	@echo 'To load it: LoadModule iri_module $(HTTPD_MODULES)/mod_iri.so'

install-nginx: need-nginx known-nginx nginx ## ngx_iri alone
	$(call put,$(FILES_nginx))
	@echo 'To load it, in nginx.conf: load_module $(NGINX_SO);'

install-cli: need-cli cli          ## the command, its manual and completion
	$(call put,$(FILES_cli))

install-lib: need-lib lib api     ## libiri.a, headers, libiri.pc, manuals
	$(call put,$(FILES_lib))

# Each of the parts comes with it.
install-httpd install-nginx install-cli install-lib: install-docs
install-docs:
	$(call put,$(FILES_docs))

# A server that is not here has nothing of ours.
UNINSTALLED = lib cli docs $(if $(HTTPD_MODULES),httpd) \
              $(if $(NGINX_MODULES),nginx)
uninstall: api                    ## remove what install has put there
	$(call take,$(foreach part,$(UNINSTALLED),$(FILES_$(part))))
	$(Q)[ ! -d '$(DESTDIR)$(DOCDIR)' ] || \
	    find '$(DESTDIR)$(DOCDIR)' -depth -type d -empty -delete

known-httpd:
	@[ -n '$(HTTPD_MODULES)' ] || { echo \
	    'Where are the modules of httpd?  Say APXS=program or' \
	    'HTTPD_MODULES=directory.' >&2; exit 1; }

known-nginx:
	@[ -n '$(NGINX_MODULES)' ] || { echo \
	    'Where are the modules of the nginx of $(NGINX_SRC)?  Say' \
	    'NGINX=program or NGINX_MODULES=directory.' >&2; exit 1; }

.PHONY: install uninstall $(PARTS:%=install-%) known-httpd known-nginx

# ---- packages ----------------------------------------------------------------

# What git knows, or, where there is no git, all but what was built.
DIST      := iri-$(VERSION)
DIST_FILE := $(BUILD)/dist/$(DIST).tar.gz
dist: $(DIST_FILE) ## the sources, which build without git: build/dist/

$(DIST_FILE): FORCE
	@mkdir -p $(@D)
	$(Q)if [ -e .git ]; then git ls-files -z; \
	    else find . -path ./build -prune -o -type f -printf '%P\0'; \
	    fi | LC_ALL=C sort -z | tar -czf $@.new --owner=0 --group=0 \
	    --mode=go-w \
	    --transform='s|^|$(DIST)/|' --null -T -
	@cmp -s $@.new $@ && rm $@.new || { echo '  TAR $@'; mv $@.new $@; }

# Out of a tree of its own, with Debian's compiler flags, as any user; once for
# the same sources.
DEB := $(BUILD)/deb
deb: need-deb $(DEB)/built ## Debian packages of all parts, to build/deb/
	@ls $(DEB)/*.deb

$(DEB)/built: $(DIST_FILE) | need-deb
	@rm -rf $(DEB) && mkdir -p $(DEB)
	$(Q)tar -xzf $(DIST_FILE) -C $(DEB)
	$(call tell,DEB in $(DEB)/$(DIST); log: $(DEB)/build.log)
	$(Q)cd $(DEB)/$(DIST) && env -u MAKEFLAGS -u CC -u APXS -u NGINX_SRC \
	    dpkg-buildpackage -us -uc -b -J$(JOBS) > ../build.log 2>&1 || \
	    { tail -n 40 ../build.log; exit 1; }
	$(call tell,LINTIAN)
	$(Q)lintian --info --fail-on error $(DEB)/iri_*.changes
	@touch $@

need-deb:
	@.ci/deps --install build deb

# Both in a fresh Debian of their own, below build/chroot/.
deb-test: deb need-chroot ## as root: packages installed, used, purged
	t/deb/alone prove -It/lib -v t/deb/packages.t

first-use: need-chroot    ## as root: what README.md and the guides say
	t/deb/alone prove -It/lib -v t/deb/first-use.t

need-chroot:
	@.ci/deps --install chroot run

.PHONY: dist deb deb-test first-use need-deb need-chroot
