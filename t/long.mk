# The long runs: what takes minutes or hours, with a bounded sample of each in
# `make test`.  Included by the Makefile.

# ---- against running servers -------------------------------------------------

DENIAL_REQUESTS ?= 100000
denial: need-test ## spellings of denied names, DENIAL_REQUESTS a server
	@+$(again) all
	IRI_DENIAL=$(DENIAL_REQUESTS) prove -It/lib -v t/denial.t

CHURN_SECONDS ?= 120
churn: need-test ## names, links and configurations change under load
	@+$(again) all
	IRI_CHURN=$(CHURN_SECONDS) prove -It/lib -v t/churn.t

# ---- of the core -------------------------------------------------------------

sweep: need-test ## every character and every sequence of every charset
	@+$(again) unit
	IRI_SWEEP=all CMOCKA_MESSAGE_OUTPUT=TAP prove -v $(BUILD)/t/test_sweep

.PHONY: denial churn sweep
