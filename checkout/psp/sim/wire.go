package sim

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Op is an operation of the API.
type Op string

// The supported operations.
const (
	CreateCustomer        Op = "customers.create"
	RetrieveCustomer      Op = "customers.retrieve"
	UpdateCustomer        Op = "customers.update"
	DeleteCustomer        Op = "customers.delete"
	ListCustomers         Op = "customers.list"
	CreateSession         Op = "checkout.sessions.create"
	RetrieveSession       Op = "checkout.sessions.retrieve"
	ExpireSession         Op = "checkout.sessions.expire"
	ListSessions          Op = "checkout.sessions.list"
	RetrieveSetupIntent   Op = "setup_intents.retrieve"
	ListSetupIntents      Op = "setup_intents.list"
	RetrievePaymentMethod Op = "payment_methods.retrieve"
	ListPaymentMethods    Op = "payment_methods.list"
	DetachPaymentMethod   Op = "payment_methods.detach"
	CreateIntent          Op = "payment_intents.create"
	RetrieveIntent        Op = "payment_intents.retrieve"
	ConfirmIntent         Op = "payment_intents.confirm"
	CancelIntent          Op = "payment_intents.cancel"
	ListIntents           Op = "payment_intents.list"
	RetrieveCharge        Op = "charges.retrieve"
	ListCharges           Op = "charges.list"
	CreateRefund          Op = "refunds.create"
	RetrieveRefund        Op = "refunds.retrieve"
	ListRefunds           Op = "refunds.list"
	RetrieveDispute       Op = "disputes.retrieve"
	ListDisputes          Op = "disputes.list"
	RetrievePayout        Op = "payouts.retrieve"
	ListPayouts           Op = "payouts.list"
	RetrieveWarning       Op = "early_fraud_warnings.retrieve"
	ListWarnings          Op = "early_fraud_warnings.list"
	RetrieveAccount       Op = "account.retrieve"
	RetrieveBalanceTxn    Op = "balance_transactions.retrieve"
	ListBalanceTxns       Op = "balance_transactions.list"
	RetrieveEvent         Op = "events.retrieve"
	ListEvents            Op = "events.list"
	CreateEndpoint        Op = "webhook_endpoints.create"
	RetrieveEndpoint      Op = "webhook_endpoints.retrieve"
	ListEndpoints         Op = "webhook_endpoints.list"
	DeleteEndpoint        Op = "webhook_endpoints.delete"
)

// Call is one API request, independent of the transport.
type Call struct {
	Method  string // such as GET
	Path    string // "/v1/payment_intents/pi_…"
	Form    string // encoded parameters from the body or the query
	APIKey  string
	Version string
	Key     string // idempotency key, POST only
}

// Answer is a response. Lost, Cut and Wait describe network faults that the transport has to
// simulate.
type Answer struct {
	Status    int
	Body      []byte
	HTML      bool // the body is a proxy's error page, not JSON
	RequestID string
	Date      time.Time // by the processor's clock
	Replayed  bool      // replayed from an idempotency key
	Limited   string    // reason of a 429; empty for a lock timeout
	Retry     string    // "true" or "false" if the processor gives advice

	Lost bool          // no response arrives
	Cut  bool          // the body is truncated
	Wait time.Duration // delay of the response
}

// object is a resource in its API representation.
type object map[string]any

// apiError is an error in its API representation.
type apiError struct {
	status  int
	kind    string
	code    string
	decline string
	param   string
	message string
	intent  object
	charge  string
	limited string
	retry   string
}

func invalid(param, code, message string) *apiError {
	return &apiError{status: 400, kind: "invalid_request_error", code: code, param: param, message: message}
}

func missing(param, what, id string) *apiError {
	return invalid(param, "resource_missing", "No such "+what+": '"+id+"'")
}

func notFound(what, id string) *apiError {
	e := missing("id", what, id)
	e.status = 404
	return e
}

// fault returns the error for the callers of Refund. Its field is named "payment" instead of the
// API's payment parameter.
func (e *apiError) fault() error {
	switch {
	case e.code == "resource_missing":
		return fault.New(fault.NotFound, "%s", e.message).In("payment")
	case e.param == "amount":
		return fault.New(fault.Invalid, "%s", e.message).In("amount")
	}
	return fault.New(fault.Conflict, "%s", e.message).In("payment")
}

func (e *apiError) body() []byte {
	fields := object{"type": e.kind, "message": e.message}
	for name, v := range map[string]string{"code": e.code, "decline_code": e.decline,
		"param": e.param, "charge": e.charge} {
		if v != "" {
			fields[name] = v
		}
	}
	if e.intent != nil {
		fields["payment_intent"] = e.intent
	}
	return encode(object{"error": fields})
}

// route is one row of the API's route table. {id} in the pattern matches one path
// segment.
type route struct {
	method, pattern string
	op              Op
	params          []string
	check           func(*Sim, request) (work, *apiError)
}

// work is a validated request that is ready to be executed.
type work func() (object, *apiError)

func (r route) match(method, path string) (id string, ok bool) {
	if method != r.method {
		return "", false
	}
	before, after, has := strings.Cut(r.pattern, "{id}")
	if !has {
		return "", path == r.pattern
	}
	rest, ok := strings.CutPrefix(path, before)
	if !ok {
		return "", false
	}
	id, ok = strings.CutSuffix(rest, after)
	return id, ok && id != "" && !strings.Contains(id, "/")
}

var listParams = []string{"limit", "starting_after", "ending_before", "expand[]"}

func listing(more ...string) []string { return append(more, listParams...) }

var expandOnly = []string{"expand[]"}

var table = routes()

// routes is a function to avoid an initialization cycle.
func routes() []route {
	return []route{
		{"GET", "/v1/account", RetrieveAccount, expandOnly, (*Sim).retrieveAccount},
		{"POST", "/v1/customers", CreateCustomer, customerParams, (*Sim).createCustomer},
		{"GET", "/v1/customers", ListCustomers, listing("email", "created[gte]", "created[lt]"), (*Sim).listCustomers},
		{"GET", "/v1/customers/{id}", RetrieveCustomer, expandOnly, (*Sim).retrieveCustomer},
		{"POST", "/v1/customers/{id}", UpdateCustomer, customerParams, (*Sim).updateCustomer},
		{"DELETE", "/v1/customers/{id}", DeleteCustomer, nil, (*Sim).deleteCustomer},
		{"POST", "/v1/checkout/sessions", CreateSession, sessionParams, (*Sim).createSession},
		{"GET", "/v1/checkout/sessions", ListSessions,
			listing("customer", "status", "payment_intent", "created[gte]", "created[lt]"), (*Sim).listSessions},
		{"POST", "/v1/checkout/sessions/{id}/expire", ExpireSession, expandOnly, (*Sim).expireSession},
		{"GET", "/v1/checkout/sessions/{id}", RetrieveSession, expandOnly, (*Sim).retrieve},
		{"GET", "/v1/setup_intents", ListSetupIntents, listing("customer", "payment_method"), (*Sim).listSetupIntents},
		{"GET", "/v1/setup_intents/{id}", RetrieveSetupIntent, expandOnly, (*Sim).retrieve},
		{"GET", "/v1/payment_methods", ListPaymentMethods, listing("customer", "type"), (*Sim).listPaymentMethods},
		{"GET", "/v1/payment_methods/{id}", RetrievePaymentMethod, expandOnly, (*Sim).retrieve},
		{"POST", "/v1/payment_methods/{id}/detach", DetachPaymentMethod, expandOnly, (*Sim).detachMethod},
		{"POST", "/v1/payment_intents", CreateIntent, intentParams, (*Sim).createIntent},
		{"GET", "/v1/payment_intents", ListIntents, listing("customer", "created[gte]", "created[lt]"),
			(*Sim).listIntents},
		{"POST", "/v1/payment_intents/{id}/confirm", ConfirmIntent, confirmParams, (*Sim).confirmIntent},
		{"POST", "/v1/payment_intents/{id}/cancel", CancelIntent, []string{"cancellation_reason", "expand[]"},
			(*Sim).cancelIntent},
		{"GET", "/v1/payment_intents/{id}", RetrieveIntent, []string{"client_secret", "expand[]"}, (*Sim).retrieve},
		{"GET", "/v1/charges", ListCharges, listing("customer", "payment_intent"), (*Sim).listCharges},
		{"GET", "/v1/charges/{id}", RetrieveCharge, expandOnly, (*Sim).retrieve},
		{"POST", "/v1/refunds", CreateRefund, refundParams, (*Sim).createRefund},
		{"GET", "/v1/refunds", ListRefunds, listing("payment_intent", "charge", "created[gte]", "created[lt]"),
			(*Sim).listRefunds},
		{"GET", "/v1/refunds/{id}", RetrieveRefund, expandOnly, (*Sim).retrieve},
		{"GET", "/v1/disputes", ListDisputes, listing("payment_intent", "charge", "created[gte]", "created[lt]"),
			(*Sim).listDisputes},
		{"GET", "/v1/disputes/{id}", RetrieveDispute, expandOnly, (*Sim).retrieve},
		{"GET", "/v1/balance_transactions", ListBalanceTxns,
			listing("source", "payout", "created[gte]", "created[lt]"), (*Sim).listBalanceTxns},
		{"GET", "/v1/balance_transactions/{id}", RetrieveBalanceTxn, expandOnly, (*Sim).retrieve},
		{"GET", "/v1/payouts", ListPayouts, listing("status", "created[gte]", "created[lt]"), (*Sim).listPayouts},
		{"GET", "/v1/payouts/{id}", RetrievePayout, expandOnly, (*Sim).retrieve},
		{"GET", "/v1/radar/early_fraud_warnings", ListWarnings,
			listing("payment_intent", "charge", "created[gte]", "created[lt]"), (*Sim).listWarnings},
		{"GET", "/v1/radar/early_fraud_warnings/{id}", RetrieveWarning, expandOnly, (*Sim).retrieve},
		{"GET", "/v1/events", ListEvents, listing("type"), (*Sim).listEvents},
		{"GET", "/v1/events/{id}", RetrieveEvent, expandOnly, (*Sim).retrieve},
		{"POST", "/v1/webhook_endpoints", CreateEndpoint, endpointParams, (*Sim).createEndpoint},
		{"GET", "/v1/webhook_endpoints", ListEndpoints, listParams, (*Sim).listEndpoints},
		{"GET", "/v1/webhook_endpoints/{id}", RetrieveEndpoint, expandOnly, (*Sim).retrieve},
		{"DELETE", "/v1/webhook_endpoints/{id}", DeleteEndpoint, nil, (*Sim).deleteEndpoint},
	}
}
