package token_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

var (
	now    = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	signer = token.Signer{Secret: []byte("0123456789abcdef0123456789abcdef")}
)

func manage() token.Claims {
	return token.Claims{
		Scope: token.Manage, OrderID: "pw-01arz3ndektsv4rrffq69g5fav", Email: "ada@example.org",
		CampaignSlug: "night-shift", Expires: now.Add(token.ManageLife),
	}
}

func sign(t testing.TB, c token.Claims) string {
	t.Helper()
	tok, err := signer.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// macOf returns the second part of a token for a first part.
func macOf(body string) string {
	h := hmac.New(sha256.New, signer.Secret)
	h.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// A token's second part is the HMAC-SHA256 of its first part, whose claims contain the order and
// the campaign.
//
// Proves SEC-01, SEC-03.
func TestSign_SignatureAndScope(t *testing.T) {
	tok := sign(t, manage())
	body, mac, _ := strings.Cut(tok, ".")
	if want := macOf(body); mac != want {
		t.Errorf("signature %q, want %q", mac, want)
	}
	got, err := signer.Verify(tok, token.Manage, now)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(manage(), got); diff != "" {
		t.Error(diff)
	}
}

// A token is valid until exactly its expiry, which is after 90 days for a pledge link.
//
// Proves SEC-02.
func TestVerify_Expiry(t *testing.T) {
	checkout := token.Claims{Scope: token.Checkout, OrderID: "pw-1", Expires: now.Add(time.Minute)}
	for life, claims := range map[time.Duration]token.Claims{90 * 24 * time.Hour: manage(), time.Minute: checkout} {
		tok := sign(t, claims)
		if _, err := signer.Verify(tok, claims.Scope, now.Add(life-time.Second)); err != nil {
			t.Errorf("%s one second before its expiry: %v", claims.Scope, err)
		}
		if _, err := signer.Verify(tok, claims.Scope, now.Add(life)); !fault.Is(err, fault.Unauthorized) {
			t.Errorf("%s at its expiry: %v, want Unauthorized", claims.Scope, err)
		}
	}
}

// A checkout token ends with an HMAC. A token with another secret or scope, and a modified token,
// is rejected without a specific reason.
//
// Proves CHK-41.
func TestVerify_Refuses(t *testing.T) {
	c := manage()
	c.Scope = token.Checkout
	tok := sign(t, c)
	body, mac, _ := strings.Cut(tok, ".")
	if want := macOf(body); mac != want {
		t.Errorf("signature %q, want %q", mac, want)
	}
	other := token.Signer{Secret: []byte("ffffffffffffffffffffffffffffffff")}
	foreign, err := other.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	padded := base64.RawURLEncoding.EncodeToString([]byte(`{"s":"checkout","x":4102444800}` +
		strings.Repeat(" ", token.MaxLength)))
	cases := map[string]struct{ tok, scope, want string }{
		"none":              {"", token.Checkout, "Missing token"},
		"another scope":     {tok, token.Manage, "Invalid or expired token"},
		"another secret":    {foreign, token.Checkout, "Invalid or expired token"},
		"no signature":      {body, token.Checkout, "Invalid or expired token"},
		"empty signature":   {body + ".", token.Checkout, "Invalid or expired token"},
		"cut signature":     {body + "." + mac[:len(mac)-2], token.Checkout, "Invalid or expired token"},
		"other claims":      {"e30." + mac, token.Checkout, "Invalid or expired token"},
		"three parts":       {tok + "." + mac, token.Checkout, "Invalid or expired token"},
		"line break inside": {tok[:10] + "\n" + tok[10:], token.Checkout, "Invalid or expired token"},
		"line break at end": {tok + "\n", token.Checkout, "Invalid or expired token"},
		"signed, too long":  {padded + "." + macOf(padded), token.Checkout, "Invalid or expired token"},
		"signed, no claims": {"bm9uZQ." + macOf("bm9uZQ"), token.Checkout, "Invalid or expired token"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := signer.Verify(tc.tok, tc.scope, now)
			f := fault.Of(err)
			if f == nil || f.Code != fault.Unauthorized || f.Message != tc.want || got != (token.Claims{}) {
				t.Errorf("got %+v, %v; want Unauthorized %q", got, err, tc.want)
			}
		})
	}
}

// Changing any byte of a token makes it invalid.
//
// Proves SEC-01.
func TestVerify_RefusesEveryChange(t *testing.T) {
	tok := sign(t, manage())
	for i := range tok {
		for _, b := range []byte("Aa0-_.") {
			if tok[i] == b {
				continue
			}
			changed := tok[:i] + string(b) + tok[i+1:]
			if _, err := signer.Verify(changed, token.Manage, now); !fault.Is(err, fault.Unauthorized) {
				t.Fatalf("byte %d as %q: %v", i, b, err)
			}
		}
	}
}

func TestSign_Refuses(t *testing.T) {
	short := token.Signer{Secret: []byte("too short")}
	if _, err := short.Sign(manage()); !fault.Is(err, fault.Internal) {
		t.Errorf("short secret, signing: %v", err)
	}
	if _, err := short.Verify("a.b", token.Manage, now); !fault.Is(err, fault.Internal) {
		t.Errorf("short secret, verifying: %v", err)
	}
	for name, change := range map[string]func(*token.Claims){
		"no scope":            func(c *token.Claims) { c.Scope = "" },
		"no expiry":           func(c *token.Claims) { c.Expires = time.Time{} },
		"expiry at the epoch": func(c *token.Claims) { c.Expires = time.Unix(0, 0) },
		"too much":            func(c *token.Claims) { c.CampaignSlug = strings.Repeat("a", token.MaxLength) },
	} {
		c := manage()
		change(&c)
		if tok, err := signer.Sign(c); !fault.Is(err, fault.Internal) || tok != "" {
			t.Errorf("%s: %q, %v", name, tok, err)
		}
	}
}

// A token of maximum length is valid.
func TestSign_MaxLength(t *testing.T) {
	c, longest := manage(), ""
	for tok := sign(t, c); tok != ""; tok, _ = signer.Sign(c) {
		longest, c.CampaignSlug = tok, c.CampaignSlug+"a"
	}
	if got, err := signer.Verify(longest, token.Manage, now); len(longest) != token.MaxLength ||
		err != nil || got.CampaignSlug != strings.TrimSuffix(c.CampaignSlug, "a") {
		t.Errorf("%d bytes: %+v, %v", len(longest), got, err)
	}
}

// FuzzVerify checks that Verify accepts only tokens in exactly the form that Sign
// returns.
func FuzzVerify(f *testing.F) {
	good := sign(f, manage())
	for _, seed := range []string{good, "", ".", "..", "e30.e30", good + "=", good[:len(good)-1],
		"e30." + strings.Repeat("A", 43)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tok string) {
		c, err := signer.Verify(tok, token.Manage, now)
		if err != nil {
			if !fault.Is(err, fault.Unauthorized) || c != (token.Claims{}) {
				t.Fatalf("%q: %+v, %v", tok, c, err)
			}
			return
		}
		again, err := signer.Sign(c)
		if err != nil || again != tok {
			t.Fatalf("%q was accepted, but Sign returns %q (%v)", tok, again, err)
		}
	})
}

func ExampleSigner() {
	s := token.Signer{Secret: []byte("a secret of at least 32 bytes ...")}
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	tok, err := s.Sign(token.Claims{Scope: token.Manage, OrderID: "pw-1", CampaignSlug: "night-shift",
		Expires: at.Add(token.ManageLife)})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := s.Verify(tok, token.Manage, at)
	fmt.Println(c.OrderID, c.CampaignSlug, err)
	_, err = s.Verify(tok, token.Checkout, at)
	fmt.Println(err)
	// Output:
	// pw-1 night-shift <nil>
	// Invalid or expired token
}
