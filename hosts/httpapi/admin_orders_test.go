package httpapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// An operator finds and resolves lost orders through the API.
func TestLostOrders_Resolve(t *testing.T) {
	e := newEdge(t, memory.Options{})
	backup := e.DB.Snapshot()
	var started []checkout.Started
	for _, email := range []string{"a@example.com", "b@example.com"} {
		s, err := e.Pledge(t.Context(), checkout.StartRequest{Email: email,
			Cart: checkout.Cart{Items: []checkout.Item{{ID: film + "__digital-premiere"}}}}, "")
		if err != nil {
			t.Fatal(err)
		}
		started = append(started, s)
	}
	o, err := e.Services.Checkout.Orders.Get(t.Context(), started[0].OrderID)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := json.Marshal(o.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	e.DB.Restore(backup)

	lost := func() (sessions []string) {
		t.Helper()
		r := e.get("/admin/orders/lost", "", e.admin()...)
		e.wantStatus(r, 200)
		var out httpapi.LostOrders
		if err := json.Unmarshal(r.Body, &out); err != nil {
			t.Fatal(err)
		}
		for _, o := range out.Orders {
			sessions = append(sessions, o.SessionID)
		}
		return sessions
	}
	if diff := cmp.Diff([]string{started[1].SessionID, started[0].SessionID}, lost()); diff != "" {
		t.Fatalf("lost (-want +got):\n%s", diff)
	}
	e.wantFailure(e.get("/admin/orders/lost", "days=0", e.admin()...), 400, "The days must be from 1 to 400")
	body := func(session string, manifest []byte) []byte {
		return []byte(`{"sessionId":"` + session + `","manifest":` + string(manifest) + `}`)
	}
	e.wantFailure(e.post("/admin/orders/adopt", body(started[1].SessionID, manifest), e.admin()...),
		409, "The manifest is not the one that was accepted with this card")
	e.wantFailure(e.post("/admin/orders/adopt", []byte(`{"manifest":{}}`), e.admin()...), 400, "Missing sessionId")
	e.Advance(time.Minute) // because of the limit of five requests
	e.wantStatus(e.post("/admin/orders/adopt", body(started[0].SessionID, manifest), e.admin()...), 200)
	e.wantStatus(e.post("/admin/orders/ask", []byte(`{"sessionId":"`+started[1].SessionID+`"}`), e.admin()...), 200)
	if left := lost(); len(left) != 0 {
		t.Errorf("%v are lost still", left)
	}
	e.Advance(time.Minute)
	e.wantFailure(e.post("/admin/orders/ask", []byte(`{}`), e.admin()...), 400, "Missing sessionId")

	e.wantFailure(e.post("/admin/pledges/cancel", []byte(`{}`), e.admin()...), 400, "Missing orderId")
	e.wantFailure(e.post("/admin/pledges/cancel", []byte(`{"orderId":"`+started[0].OrderID+`"}`), e.admin()...),
		409, "The campaign's deadline has not passed")
}
