package ses

import (
	"net/url"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
)

// AWS's example signatures: the cases post-vanilla, post-header-key-sort and
// post-x-www-form-urlencoded of its test suite for Signature Version 4.
func TestSign_AWSExamples(t *testing.T) {
	k := key{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service"}
	const scope = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
	target, err := url.Parse("https://example.amazonaws.com/")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		header map[string]string
		body   string
		want   string
	}{
		"post-vanilla": {
			header: map[string]string{},
			want: "SignedHeaders=host;x-amz-date, " +
				"Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
		},
		"post-header-key-sort": {
			header: map[string]string{"My-Header1": "value1"},
			want: "SignedHeaders=host;my-header1;x-amz-date, " +
				"Signature=c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
		},
		"post-x-www-form-urlencoded": {
			header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, body: "Param1=value1",
			want: "SignedHeaders=content-type;host;x-amz-date, " +
				"Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
		},
	} {
		r := fetch.Request{Method: "POST", URL: target.String(), Header: tt.header, Body: tt.body}
		k.sign(&r, target, time.Date(2015, 8, 30, 14, 36, 0, 0, time.FixedZone("", 2*60*60)))
		if got := r.Header["Authorization"]; got != scope+tt.want || r.Header["X-Amz-Date"] != "20150830T123600Z" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
