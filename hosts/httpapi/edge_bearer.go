package httpapi

// Bearer is a token or secret that a GET route reads from a header, because proxies log query
// strings. Param is the query parameter in which clients of earlier releases send it.
type Bearer struct {
	Header string
	Param
}

// Tokens of GET routes.
var (
	pledgeToken = Bearer{"X-Link-Token", Param{"token", "The token from the manage link", true}}
	mailToken   = Bearer{"X-Link-Token", Param{"t", "The token from the email", true}}
	reviewToken = Bearer{"X-Link-Token", Param{"t", "The token from the reviewer's link", false}}
	joinToken   = Bearer{"X-Join-Token",
		Param{"all", "The token from the link that joins all pledges, as in JoinRequest", false}}
	checkoutToken  = Bearer{"X-Checkout-Token", Param{"token", "The checkoutToken from the start of the checkout", true}}
	browserSession = Bearer{"X-Browser-Session",
		Param{"session", "The secret of the browser session, as in StartRequest", false}}
)

// bearer returns the token from the request's header or, if there is none, from its query.
func (x *exchange) bearer(b Bearer) string {
	if t := x.header(b.Header); t != "" {
		return t
	}
	return x.query().Get(b.Name)
}

// parameters returns the OpenAPI descriptions of the header and the query parameter.
func (b Bearer) parameters() []node {
	return []node{
		{"name": b.Header, "in": "header", "required": b.Required, "description": b.About, "schema": text()},
		{"name": b.Name, "in": "query", "required": false, "deprecated": true,
			"description": b.About + ", if the header is not sent; proxies log it", "schema": text()},
	}
}
