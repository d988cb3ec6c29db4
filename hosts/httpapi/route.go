package httpapi

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// The body caps, in bytes.
const (
	MaxBody        = 64 << 10 // of routes that need a credential
	MaxPublicBody  = 32 << 10 // of routes that anyone may call
	MaxWebhookBody = 256 << 10
)

// Route is one row of the table.
type Route struct {
	Method  string
	Pattern string // "/stats/:slug": a segment that begins with a colon stands for any
	Rules

	// What the OpenAPI document says.
	Summary string
	Tag     string
	In, Out string // names of schemas; "" for none
	Query   []Param
	Bearers []Bearer // tokens by header
	Type    string   // of what is answered; "" is JSON
	Status  int      // of success; zero is 200
	// Personal is whom the answer tells about; nil is nobody.
	Personal []Whose
	Errors   []int // statuses beside those that follow from the rules

	handle handler
}

// Rules say what a request has to pass before its handler runs.
type Rules struct {
	Public     bool     // any origin may read the answer
	TestOnly   bool     // exists in test mode alone
	SameOrigin bool     // must come from the public site
	RawBody    bool     // the body is not JSON
	NoBody     bool     // a body is optional
	Streamed   bool     // the body may be large, and the handler reads it
	ByQuery    bool     // the query says which file of which campaign it is about
	Cap        int      // bytes of the body; zero is MaxBody, or MaxPublicBody without a credential
	Limits     []*Limit // all of them hold, and are counted in their order
	Secret     Credential
	// Operator is what a user has to be allowed who is signed in; "" lets no session in. A
	// route with a Secret too is open to either.
	Operator access.Permission
	// And is a second permission that it takes, "" for none.
	And access.Permission
	// Fresh asks a user for a sign-in that is not old, but for a dry run.
	Fresh bool
	// Listing is the size of a page, if the query names none, of an answer that lists people by
	// pages. A user whose sign-in is old sees the first 50 only; zero is not a list.
	Listing int
	// Partial lets in who has signed in by mail and has still to show, or to add, a passkey.
	Partial bool
	// Challenge is the action for which people show that they are no robots, before
	// anything is counted.
	Challenge string
	// ByLink lets in who shows a reviewToken, which the handler checks.
	ByLink bool
	// campaign finds which campaign a request is about where it doesn't say so itself.
	campaign func(ctx context.Context, x *exchange) (string, error)
	// Action names what an operator does by it in the audit log; "" for what changes nothing.
	Action string
	// Resumed says that the hour goes on with it where a crash has cut it off: what is sent
	// again has to end as if it had been sent once.
	Resumed bool
	// Webhook is set for the processor's reports, whose outcomes are counted.
	Webhook bool
	// Reads is set for a POST that changes nothing, such as a quote, a search or a preview.
	Reads bool
	// DryRun says that the body may ask for a dry run, which changes nothing.
	DryRun bool
	// Lifetime is how long a browser may keep the answer; zero is not at all.
	Lifetime func(*API) time.Duration
}

// Limit is a rate limit over a fixed window.
type Limit struct {
	Name    string // of the counter: routes with one name share it
	Max     int
	Window  time.Duration
	ByOrder bool // counted per orderId of the body and not per client
	ByToken bool // counted per token of a mail and not per client
}

// Param is a query parameter.
type Param struct {
	Name, About string
	Required    bool
}

// handler answers a request that has passed its rules with a value to encode,
// or a Response.
type handler func(ctx context.Context, x *exchange) (any, error)

// session reports whether a browser sends or gets cookies with it.
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

// place is a path of the table with all its methods.
type place struct {
	pattern  string
	before   string // the part in front of the parameter
	after    string
	variable bool
	methods  map[string]*Route
	allow    string
	testOnly bool
	public   bool
	session  bool // a browser sends its cookies to it
	guarded  bool // a session or a secret opens it, or it opens a session
}

// tree finds routes by path.
type tree struct {
	fixed    map[string]*place
	variable []*place
}

func newTree(routes []Route) tree {
	t := tree{fixed: map[string]*place{}}
	byPattern := map[string]*place{}
	for i := range routes {
		r := &routes[i]
		p := byPattern[r.Pattern]
		if p == nil {
			p = newPlace(r.Pattern)
			byPattern[r.Pattern] = p
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

func newPlace(pattern string) *place {
	p := &place{pattern: pattern, methods: map[string]*Route{}, public: true}
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

func (p *place) add(r *Route) {
	methods := []string{r.Method}
	if r.Method == "GET" {
		methods = append(methods, "HEAD")
	}
	for _, m := range methods {
		p.methods[m] = r
		if p.allow != "" {
			p.allow += ", "
		}
		p.allow += m
	}
	p.testOnly = p.testOnly || r.TestOnly
	p.public = p.public && r.Public
	p.session = p.session || r.session()
	p.guarded = p.session || p.guarded || r.Secret != noSecret
}

// find returns the place of a path and the value of its parameter.
func (t *tree) find(path string) (*place, string) {
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

func (p *place) match(path string) (string, bool) {
	v, ok := strings.CutPrefix(path, p.before)
	if !ok {
		return "", false
	}
	v, ok = strings.CutSuffix(v, p.after)
	return v, ok && v != "" && strings.IndexByte(v, '/') < 0
}
