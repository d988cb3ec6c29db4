package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

const (
	game = "tidepool-traders"
	film = "night-ferry"
)

var home = pledge.Address{Name: "A supporter", Line1: "1 Shore Road", City: "Taos",
	State: "NM", PostalCode: "87571", Country: "US"}

// examples contains the example campaigns. It is loaded once and not modified.
var examples = sync.OnceValue(func() *campaign.Catalogue {
	c, err := campaignfile.Load(os.DirFS("../../examples/site"))
	if err != nil {
		panic(err)
	}
	return c
})

// edge is the API on the memory host. Every response is checked against the OpenAPI document.
type edge struct {
	*memory.Host
	t *testing.T
	*contract

	browsers int // number of browsers
}

func newEdge(t *testing.T, o memory.Options) *edge {
	t.Helper()
	if o.Campaigns == nil {
		o.Campaigns, o.Catalogue = os.DirFS("../../examples/site"), examples()
	}
	if _, set := o.Env["ADMIN_OPERATORS"]; !set {
		env := operators("ada", "ben")
		maps.Copy(env, o.Env)
		o.Env = env
	}
	h, err := memory.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.Services.DrawPage = drawMinimalPage
	return &edge{Host: h, t: t, contract: contractOf(t, h)}
}

// contract is an OpenAPI document with the compiled schemas of its responses.
type contract struct {
	doc *openapi3.T

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by JSON pointer
}

// contracts caches the contracts by mode and base URL, which determine the document.
var contracts sync.Map

func contractOf(t *testing.T, h *memory.Host) *contract {
	t.Helper()
	of := fmt.Sprint(h.Config.Mode, h.Config.Site.Worker)
	if c, ok := contracts.Load(of); ok {
		return c.(*contract)
	}
	text := document(t, h.API)
	c := &contract{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	var err error
	if c.doc, err = openapi3.NewLoader().LoadFromData([]byte(text)); err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource(documentURL, parsed); err != nil {
		t.Fatal(err)
	}
	contracts.Store(of, c)
	return c
}

const documentURL = "https://example.com/openapi.json"

// schema returns the schema at a path in the document.
func (c *contract) schema(path ...string) (*jsonschema.Schema, error) {
	pointer := ""
	for _, name := range path {
		pointer += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, compiled := c.schemas[pointer]; compiled {
		return s, nil
	}
	s, err := c.compiler.Compile(documentURL + "#" + pointer)
	if err == nil {
		c.schemas[pointer] = s
	}
	return s, err
}

// do sends a request as the public site does. header contains alternating names and values of
// additional headers.
func (e *edge) do(method, path, query string, body any, header ...string) httpapi.Response {
	e.t.Helper()
	r := e.Request(context.Background(), method, path, query, body, header...)
	e.documented(method, r)
	return r
}

func (e *edge) post(path string, body any, header ...string) httpapi.Response {
	e.t.Helper()
	return e.do("POST", path, "", body, header...)
}

func (e *edge) get(path, query string, header ...string) httpapi.Response {
	e.t.Helper()
	return e.do("GET", path, query, nil, header...)
}

func document(t *testing.T, a *httpapi.API) string {
	t.Helper()
	b, err := a.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// documented checks a response against the route's OpenAPI description.
func (e *edge) documented(method string, r httpapi.Response) {
	e.t.Helper()
	if r.Route == "" || method == "OPTIONS" || r.Status == 405 {
		e.matches(method, r, "components", "schemas", "Error")
		return
	}
	method, pattern := strings.Replace(method, "HEAD", "GET", 1), strings.Replace(r.Route, ":slug", "{slug}", 1)
	path := e.doc.Paths.Find(pattern)
	if path == nil || path.GetOperation(method) == nil {
		e.t.Fatalf("%s %s is not in the OpenAPI document", method, r.Route)
	}
	status := strconv.Itoa(r.Status)
	response := path.GetOperation(method).Responses.Value(status)
	if response == nil {
		e.t.Errorf("%s %s: status %d is not in the OpenAPI document: %s", method, r.Route, r.Status, r.Body)
		return
	}
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") && r.Status != 204 {
		if response.Value.Content[kind] == nil {
			e.t.Errorf("%s %s: content type %s is not in the OpenAPI document", method, r.Route, kind)
		}
		return
	}
	e.matches(method, r, "paths", pattern, strings.ToLower(method), "responses", status, "content", "application/json", "schema")
}

// matches checks a response against the schema at a path in the OpenAPI document.
func (e *edge) matches(method string, r httpapi.Response, path ...string) {
	e.t.Helper()
	if r.Status == 204 {
		return
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.Body))
	if err != nil {
		e.t.Fatalf("%s %s: the response is not JSON: %v", method, r.Route, err)
	}
	schema, err := e.schema(path...)
	if err != nil {
		e.t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		e.t.Errorf("%s %s, status %d, does not match the OpenAPI document: %v\n%s", method, r.Route, r.Status, err, r.Body)
	}
}

func decode[T any](t *testing.T, r httpapi.Response) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		t.Fatalf("status %d: %v\n%s", r.Status, err, r.Body)
	}
	return v
}

// failure is the body of an error response.
type failure struct {
	Error      string
	Code       string
	Field      string
	Remaining  *int
	RetryAfter int
}

// wantFailure checks status and message.
func (e *edge) wantFailure(r httpapi.Response, status int, message string) failure {
	e.t.Helper()
	f := decode[failure](e.t, r)
	if r.Status != status || f.Error != message {
		e.t.Errorf("status %d %q, want %d %q", r.Status, f.Error, status, message)
	}
	return f
}

func (e *edge) wantField(r httpapi.Response, field string) {
	e.t.Helper()
	if f := decode[failure](e.t, r); r.Status != 400 || f.Field != field {
		e.t.Errorf("status %d %+v, want an error with field %s", r.Status, f, field)
	}
}

func (e *edge) wantStatus(r httpapi.Response, status int) {
	e.t.Helper()
	if r.Status != status {
		e.t.Fatalf("%s: status %d, want %d: %s", r.Route, r.Status, status, r.Body)
	}
}

// tip is the tip in the fixtures' carts, in percent.
const tip = 5

func gameCart(quantity int) checkout.Cart {
	return checkout.Cart{
		CampaignSlug: game, Items: []checkout.Item{{ID: game + "__the-game", Quantity: &quantity}},
		ShippingAddress: &home, TipPercent: new(tip),
	}
}

func filmCart() checkout.Cart {
	return checkout.Cart{CampaignSlug: film, Items: []checkout.Item{{ID: film + "__digital-premiere"}},
		TipPercent: new(tip)}
}

// start starts a checkout through the API.
func (e *edge) start(email string, c checkout.Cart) checkout.Started {
	e.t.Helper()
	r := e.post("/checkout-intent/start", checkout.StartRequest{Cart: c, Email: email})
	e.wantStatus(r, 200)
	return decode[checkout.Started](e.t, r)
}

// pledge completes a checkout and returns the token of the manage link.
func (e *edge) pledge(email string, c checkout.Cart, card string) (checkout.Started, string) {
	e.t.Helper()
	started := e.start(email, c)
	if err := e.Sim.Complete(started.SessionID, card); err != nil {
		e.t.Fatal(err)
	}
	r := e.post("/checkout-intent/complete",
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID})
	e.wantStatus(r, 200)
	token, err := e.Token(started.Campaigns[0].OrderID, email, started.Campaigns[0].CampaignSlug)
	if err != nil {
		e.t.Fatal(err)
	}
	return started, token
}

func (e *edge) admin() []string {
	return []string{"Authorization", "Bearer " + e.Config.Secrets.Admin.Reveal()}
}

func (e *edge) settler() []string {
	return []string{"Authorization", "Bearer " + e.Config.Secrets.AdminSettlement.Reveal()}
}

const cardOK = sim.CardOK
