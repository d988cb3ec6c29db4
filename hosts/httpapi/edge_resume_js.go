package httpapi

import (
	"context"
	"encoding/json"
)

// resumableRequest returns nothing: Workers do not resume interrupted actions. Operators repeat them.
func (x *exchange) resumableRequest() (json.RawMessage, error) { return nil, nil }

func (a *API) resume(context.Context) error { return nil }
