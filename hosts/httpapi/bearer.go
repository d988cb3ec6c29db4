package httpapi

// Bearer is a token or secret that a GET route reads from a header, because proxies log queries.
// The query parameter is for clients of earlier releases.
type Bearer struct {
	Header string
	Param
}

// The tokens of GET routes.
var (
	pledgeToken    = Bearer{"X-Link-Token", Param{"token", "The token of the manage link", true}}
	mailToken      = Bearer{"X-Link-Token", Param{"t", "The token of a mail", true}}
	reviewToken    = Bearer{"X-Link-Token", Param{"t", "The token of the reviewer's link", false}}
	joinToken      = Bearer{"X-Join-Token", Param{"all", "The token of the link that offers to join all, as in JoinRequest", false}}
	checkoutToken  = Bearer{"X-Checkout-Token", Param{"token", "The checkoutToken of the checkout's start", true}}
	browserSession = Bearer{"X-Browser-Session", Param{"session", "The secret of the browser session, as in StartRequest", false}}
)

// bearer returns the token of the request's header, or else the one of its query.
func (x *exchange) bearer(b Bearer) string {
	if t := x.header(b.Header); t != "" {
		return t
	}
	return x.query().Get(b.Name)
}

// parameters describes the header and the query parameter.
func (b Bearer) parameters() []node {
	return []node{
		{"name": b.Header, "in": "header", "required": b.Required, "description": b.About, "schema": text()},
		{"name": b.Name, "in": "query", "required": false, "deprecated": true, "description": b.About + ", where the header is not sent; proxies log it", "schema": text()},
	}
}
