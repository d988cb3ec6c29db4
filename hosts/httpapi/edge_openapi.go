package httpapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// node is a node of the OpenAPI document.
type node = map[string]any

// OpenAPI returns the OpenAPI 3.1 document of this service's routes.
func (a *API) OpenAPI() ([]byte, error) { return a.document() }

// Document returns the OpenAPI 3.1 document for a service at the base URL.
func Document(base string) ([]byte, error) {
	a := &API{services: &compose.Services{}, base: base}
	a.routes = a.table()
	return a.describe()
}

func (a *API) describe() ([]byte, error) {
	paths := node{}
	for i := range a.routes {
		r := &a.routes[i]
		if r.TestOnly && !a.testMode {
			continue
		}
		path := openAPIPath(r.Pattern)
		item, ok := paths[path].(node)
		if !ok {
			item = node{}
			paths[path] = item
		}
		item[strings.ToLower(r.Method)] = r.operation()
	}
	all, err := schemas()
	if err != nil {
		return nil, err
	}
	doc := node{
		"openapi": "3.1.0",
		"info": node{
			"title":       "Pledgeworks",
			"version":     "1",
			"description": "All-or-nothing crowdfunding: a card is saved now and charged once after the deadline, if the campaign is funded. Every amount is in US cents.",
		},
		"servers":    []node{{"url": a.base}},
		"paths":      paths,
		"components": node{"schemas": all, "securitySchemes": securitySchemes()},
	}
	return json.Marshal(doc)
}

func ref(name string) node { return node{"$ref": "#/components/schemas/" + name} }
func text() node           { return node{"type": "string"} }

// openAPIPath converts "/stats/:slug" to "/stats/{slug}".
func openAPIPath(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

func (r *Route) operation() node {
	op := node{
		"operationId": r.operationID(),
		"summary":     r.Summary,
		"tags":        []string{r.Tag},
		"responses":   r.responses(),
	}
	if p := r.parameters(); len(p) > 0 {
		op["parameters"] = p
	}
	if r.Method == "POST" && r.In != "" {
		op["requestBody"] = node{"required": !r.NoBody, "content": node{"application/json": node{"schema": ref(r.In)}}}
	}
	if r.Streamed {
		op["requestBody"] = node{"required": true,
			"content": node{"application/octet-stream": node{"schema": node{"type": "string", "format": "binary"}}}}
	}
	if by := r.security(); len(by) > 0 {
		op["security"] = by
	}
	return op
}

// security returns the alternative credentials of the route.
func (r *Route) security() (by []node) {
	if r.Secret != noSecret {
		by = append(by, node{"bearer": []string{}}, node{"adminKey": []string{}})
	}
	switch {
	case r.Operator == "":
	case r.Method == "GET":
		by = append(by, node{"session": []string{}})
	default:
		by = append(by, node{"session": []string{}, "csrf": []string{}})
	}
	return by
}

// operationID returns the method and the path as one word: "postPledgeCancel".
func (r *Route) operationID() string {
	words := strings.FieldsFunc(r.Pattern, func(c rune) bool { return strings.ContainsRune("/:-._", c) })
	var id strings.Builder
	id.WriteString(strings.ToLower(r.Method))
	for _, w := range words {
		id.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return id.String()
}

func (r *Route) parameters() []node {
	var out []node
	if _, after, ok := strings.Cut(r.Pattern, ":"); ok {
		name, _, _ := strings.Cut(after, "/")
		out = append(out, node{"name": name, "in": "path", "required": true, "schema": text()})
	}
	for _, b := range r.Bearers {
		out = append(out, b.parameters()...)
	}
	for _, q := range r.Query {
		out = append(out,
			node{"name": q.Name, "in": "query", "required": q.Required, "description": q.About, "schema": text()})
	}
	return out
}

// responses describes the success response and the failures that follow from the rules or are
// listed in Errors.
func (r *Route) responses() node {
	out := node{}
	success := node{"description": "Success"}
	if r.Out != "" {
		success["content"] = node{"application/json": node{"schema": ref(r.Out)}}
	}
	if r.Type != "" {
		success["content"] = node{r.Type: node{"schema": text()}}
	}
	out[strconv.Itoa(max(r.Status, 200))] = success
	for _, status := range r.failures() {
		out[strconv.Itoa(status)] = node{
			"description": statusDescriptions[status],
			"content":     node{"application/json": node{"schema": ref("Error")}},
		}
	}
	return out
}

func (r *Route) failures() []int {
	all := append([]int{500}, r.Errors...)
	if r.Method == "POST" {
		all = append(all, 400, 413)
		if !r.RawBody {
			all = append(all, 415)
		}
	}
	if r.SameOrigin || r.Operator != "" {
		all = append(all, 403)
	}
	if len(r.Limits) > 0 || r.Secret != noSecret {
		all = append(all, 429, 503)
	}
	if r.Secret != noSecret || r.Operator != "" {
		all = append(all, 401)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var statusDescriptions = map[int]string{
	400: "The request is invalid; do not repeat it unchanged",
	401: "Missing or invalid credential",
	403: "The credential or the origin does not allow this",
	404: "Not found",
	409: "The current state does not allow this",
	410: "It existed and has expired or ended",
	413: "The body is too large",
	415: "The body is not application/json",
	429: "A rate limit is reached; retryAfter is the number of seconds to wait",
	500: "Internal error",
	503: "A dependency is unavailable or not configured; try again later",
}

func securitySchemes() node {
	return node{
		"bearer": node{"type": "http", "scheme": "bearer",
			"description": "The admin secret, or the scoped secret if one is configured"},
		"adminKey": node{"type": "apiKey", "in": "header", "name": "x-admin-key"},
		"session": node{"type": "apiKey", "in": "cookie", "name": SessionCookie,
			"description": "Session of a signed-in user"},
		"csrf": node{"type": "apiKey", "in": "header", "name": strings.ToLower(csrfHeader),
			"description": "The csrfToken from GET /admin/session"},
	}
}
