package order_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// A checkout that another release started can be confirmed, because its manifest is hashed and
// stored unchanged, including unknown members.
//
// Proves CHK-09, VER-04.
func TestConfirm_ManifestOfAnotherRelease(t *testing.T) {
	d := newFixture(t)
	b, err := json.Marshal(manifest(t, "film"))
	if err != nil {
		t.Fatal(err)
	}
	b = append([]byte(`{"later":{"n":[1]},`), b[1:]...)
	reply, err := d.Coordinator.Do(ctx, kv.Object{Class: order.ClassName, Name: orderID},
		kv.Envelope{ID: "open", Kind: "open", Body: fmt.Appendf(nil, `{"manifest":%s}`, b)})
	if err != nil || reply.Refused != nil {
		t.Fatal(reply, err)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(b))
	if o := d.then(d.Attach(ctx, orderID, "cs_1")); o.Hash != hash {
		t.Errorf("hash %s is not that of the bytes", o.Hash)
	}
	d.then(d.confirm(orderID, "cs_1", hash, card(saved), false))
	if p := d.pledge(orderID); p.Email != "ada@example.org" {
		t.Errorf("%+v", p)
	}
}
