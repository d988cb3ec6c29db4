package repository_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestParseText(t *testing.T) {
	for text, want := range map[string]struct {
		message  string
		trailers []repository.Trailer
	}{
		"fix: a typo\n":                        {message: "fix: a typo"},
		"A\r\n\r\nSigned-off-by: Ana\r\n":      {"A", []repository.Trailer{{Key: "Signed-off-by", Value: "Ana"}}},
		"A\n\nb\n\nK: v: w\nL:\n":              {"A\n\nb", []repository.Trailer{{Key: "K", Value: "v: w"}, {Key: "L"}}},
		"A\n\nK: v\nno trailer\n":              {message: "A\n\nK: v\nno trailer"},
		"A\n\nsee https://example.com: it is ": {message: "A\n\nsee https://example.com: it is"},
		"":                                     {},
	} {
		message, trailers := repository.ParseText(text)
		if message != want.message || cmp.Diff(want.trailers, trailers) != "" {
			t.Errorf("%q: got %q with %q", text, message, trailers)
		}
	}
}

// Text and ParseText are inverse for any message.
func FuzzText(f *testing.F) {
	f.Add("Raise the goal\n\nChange-Id: forged", "Reason", "it: rains")
	f.Add("fix: a typo", "A", "")
	f.Fuzz(func(t *testing.T, message, key, value string) {
		c := repository.Change{
			ID: "c1", Author: repository.Author{Name: "Ana", Email: "ana@example.com"}, Message: message,
			Trailers: []repository.Trailer{{Key: key, Value: value}}, Writes: []repository.Write{{Path: "a"}},
		}
		if c.Check(repository.Limits{File: 1, Commit: 1}) != nil {
			t.Skip()
		}
		got, trailers := repository.ParseText(c.Text())
		want := []repository.Trailer{{Key: key, Value: strings.TrimSpace(value)}, {Key: repository.IDTrailer, Value: "c1"}}
		if got != c.Commit("", "").Message || cmp.Diff(want, trailers) != "" {
			t.Errorf("%q is read as %q with %q", c.Text(), got, trailers)
		}
	})
}

func TestChange_CheckBase(t *testing.T) {
	files := map[string]string{"a": "1", "d/b": "2", "d/e/c": "3"}
	for name, test := range map[string]struct {
		writes []repository.Write
		field  string
	}{
		"an edit":                        {[]repository.Write{{Path: "a", Was: "1"}}, ""},
		"a stale edit":                   {[]repository.Write{{Path: "a", Was: "0"}}, "a"},
		"a new file":                     {[]repository.Write{{Path: "d/n"}}, ""},
		"a new file that already exists": {[]repository.Write{{Path: "a"}}, "a"},
		"a swap by removal":              {[]repository.Write{{Path: "a", Was: "1", Remove: true}, {Path: "a/x"}}, ""},
		"a file in place of a folder":    {[]repository.Write{{Path: "d/e/c", Was: "3", Remove: true}, {Path: "d/e"}}, ""},
		"a file over a folder":           {[]repository.Write{{Path: "d/e"}}, "d/e"},
		"a folder over a file":           {[]repository.Write{{Path: "d/b/x"}}, "d/b/x"},
		"a move into itself":             {[]repository.Write{{Path: "a/a", From: "a", Was: "1"}}, ""},
		"a move onto a file":             {[]repository.Write{{Path: "d/b", From: "a", Was: "1"}}, "d/b"},
	} {
		err := repository.Change{Writes: test.writes}.CheckBase(files)
		if test.field == "" && err != nil ||
			test.field != "" && (!fault.Is(err, fault.Conflict) || fault.Of(err).Field != test.field) {
			t.Errorf("%s: %v, want a conflict at %q", name, err, test.field)
		}
	}
}

// The vector is from GitHub's guide on validating webhook deliveries.
func TestSigned(t *testing.T) {
	secret, body := []byte("It's a Secret to Everybody"), "Hello, World!"
	const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	if ok, err := repository.Signed(secret, signature, strings.NewReader(body)); !ok || err != nil {
		t.Errorf("a valid signature is rejected: %v", err)
	}
	for name, forged := range map[string]struct {
		secret          []byte
		signature, body string
	}{
		"no secret":       {nil, "sha256=" + strings.Repeat("f0", 32), body},
		"another secret":  {[]byte("x"), signature, body},
		"another body":    {secret, signature, "Hello, World?"},
		"nothing":         {secret, "", body},
		"half of it":      {secret, signature[:40], body},
		"no scheme":       {secret, strings.TrimPrefix(signature, "sha256="), body},
		"another scheme":  {secret, "sha1" + signature[6:], body},
		"no hexadecimals": {secret, "sha256=zz", body},
	} {
		if ok, err := repository.Signed(forged.secret, forged.signature, strings.NewReader(forged.body)); ok || err != nil {
			t.Errorf("%s: %t, %v; want an invalid signature", name, ok, err)
		}
	}
	cut := iotest.ErrReader(io.ErrUnexpectedEOF)
	if _, err := repository.Signed(secret, signature, cut); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body that ends early: %v", err)
	}
	if ok, err := repository.Signed(secret, "sha256=zz", cut); ok || err != nil {
		t.Errorf("the body of a malformed signature is read: %v", err)
	}
}
