package httpapi

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// Body limits in bytes.
const (
	MaxBody        = 64 << 10 // for routes that require a credential
	MaxPublicBody  = 32 << 10 // for routes without a credential
	MaxWebhookBody = 256 << 10
)

// Route is one route of the API.
type Route struct {
	Method  string
	Pattern string // such as "/stats/:slug", where the segment with the colon is a parameter
	Rules

	// For the OpenAPI document.
	Summary string
	Tag     string
	In, Out string // schema names; "" for no body
	Query   []Param
	Bearers []Bearer // tokens in headers
	Type    string   // content type of the response; "" is JSON
	Status  int      // success status; zero is 200
	// Personal lists the groups whose personal data the response contains; nil means none.
	Personal []Whose
	Errors   []int // statuses in addition to those implied by the rules

	handle handler
}

// Rules are the conditions that a request must meet before its handler runs, and the properties of
// the route that determine how it is logged, measured and cached.
type Rules struct {
	Public     bool     // any origin may read the response
	TestOnly   bool     // available in test mode only
	SameOrigin bool     // must come from the public site
	RawBody    bool     // the body is not JSON
	NoBody     bool     // the body is optional
	Streamed   bool     // the body may be large and is read by the handler
	ByQuery    bool     // the audit log takes the campaign and the file name from the query
	Cap        int      // body limit in bytes; zero is MaxBody, or MaxPublicBody without a credential
	Limits     []*Limit // all must hold; counted in order
	Secret     Credential
	// Operator is the permission that a signed-in user needs; "" rejects sessions. A route that
	// also has a Secret accepts either.
	Operator access.Permission
	// And is a second required permission, "" for none.
	And access.Permission
	// Fresh requires a recent sign-in from users, except for dry runs.
	Fresh bool
	// Listing is the default page size of a route that lists people. Users without a recent sign-in
	// see only the first 50 people. Zero means that the route does not list people.
	Listing int
	// Partial admits sessions that have not completed the passkey step.
	Partial bool
	// Challenge is the action of the challenge that the client must solve before the request is
	// counted.
	Challenge string
	// ByLink admits requests with a reviewToken, which the handler checks.
	ByLink bool
	// campaign returns the request's campaign if campaignOf cannot find it; nil for most routes.
	campaign func(ctx context.Context, x *exchange) (string, error)
	// Action is the name under which the audit log records an operator's change. It is "" for routes
	// that record no event: those of supporters, sign-in, operators' reads, and the routes listed
	// in the tests' unrecorded.
	Action string
	// ActionField is the field of the body by whose value Actions replaces Action; "" for most routes.
	ActionField string
	Actions     map[string]string
	// Resumed means that the hourly run completes the action after a crash. Repeating the request
	// must have the same result as sending it once.
	Resumed bool
	// Webhook is set for the processor's webhooks, whose outcomes are counted.
	Webhook bool
	// Reads is set for a POST that changes nothing, such as a quote, a search or a preview.
	Reads bool
	// DryRun is set if the body can request a dry run, which changes nothing.
	DryRun bool
	// Lifetime is how long browsers may cache the response; nil means not at all.
	Lifetime func(*API) time.Duration
}

// Limit is a fixed-window rate limit.
type Limit struct {
	Name    string // of the counter; routes with the same name share it
	Max     int
	Window  time.Duration
	ByOrder bool // counted per orderId in the body instead of per client
	ByToken bool // counted per mail token instead of per client
}

// Param is a query parameter.
type Param struct {
	Name, About string
	Required    bool
}

// handler handles a request that has passed its rules. It returns a value to encode, or a Response.
type handler func(ctx context.Context, x *exchange) (any, error)

// session reports whether browsers send or receive cookies for the route.
func (r *Route) session() bool {
	return r.Operator != "" || strings.HasPrefix(r.Pattern, "/admin/auth/")
}

func (r *Route) cap() int {
	switch {
	case r.Cap > 0:
		return r.Cap
	case r.Secret == noSecret && r.Operator == "":
		return MaxPublicBody
	}
	return MaxBody
}

// endpoint is a path pattern with all its methods.
type endpoint struct {
	pattern  string
	before   string // the path before the parameter
	after    string
	variable bool
	routes   []*Route // one for each method
	testOnly bool
	public   bool
	session  bool // browsers send it cookies
	guarded  bool // requires a session or a secret, or creates a session
}

// tree finds endpoints by path.
type tree struct {
	fixed    map[string]*endpoint
	variable []*endpoint
}

func newTree(routes []Route) tree {
	t := tree{fixed: make(map[string]*endpoint, len(routes))}
	for i := range routes {
		r := &routes[i]
		p := t.known(r.Pattern)
		if p == nil {
			p = newEndpoint(r.Pattern)
			if p.variable {
				t.variable = append(t.variable, p)
			} else {
				t.fixed[r.Pattern] = p
			}
		}
		p.add(r)
	}
	return t
}

// known returns the endpoint of a pattern, or nil.
func (t *tree) known(pattern string) *endpoint {
	if p := t.fixed[pattern]; p != nil {
		return p
	}
	for _, p := range t.variable {
		if p.pattern == pattern {
			return p
		}
	}
	return nil
}

func newEndpoint(pattern string) *endpoint {
	p := &endpoint{pattern: pattern, public: true}
	before, rest, ok := strings.Cut(pattern, ":")
	if ok {
		_, after, _ := strings.Cut(rest, "/")
		p.variable, p.before = true, before
		if after != "" {
			p.after = "/" + after
		}
	}
	return p
}

func (p *endpoint) add(r *Route) {
	p.routes = append(p.routes, r)
	p.testOnly = p.testOnly || r.TestOnly
	p.public = p.public && r.Public
	p.session = p.session || r.session()
	p.guarded = p.session || p.guarded || r.Secret != noSecret
}

// route returns the route of a method, or nil. A GET route answers HEAD as well.
func (p *endpoint) route(method string) *Route {
	if method == "HEAD" {
		method = "GET"
	}
	for _, r := range p.routes {
		if r.Method == method {
			return r
		}
	}
	return nil
}

// allow lists the methods, separated by commas.
func (p *endpoint) allow() string {
	var methods []string
	for _, r := range p.routes {
		if methods = append(methods, r.Method); r.Method == "GET" {
			methods = append(methods, "HEAD")
		}
	}
	return strings.Join(methods, ", ")
}

// find returns the endpoint of a path and the value of its parameter.
func (t *tree) find(path string) (*endpoint, string) {
	if p, ok := t.fixed[path]; ok {
		return p, ""
	}
	for _, p := range t.variable {
		if v, ok := p.match(path); ok {
			return p, v
		}
	}
	return nil, ""
}

func (p *endpoint) match(path string) (string, bool) {
	v, ok := strings.CutPrefix(path, p.before)
	if !ok {
		return "", false
	}
	v, ok = strings.CutSuffix(v, p.after)
	return v, ok && v != "" && strings.IndexByte(v, '/') < 0
}
