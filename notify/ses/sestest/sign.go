package sestest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// authorization matches the Authorization header of a signed request.
var authorization = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/ses/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$`)

// tolerance is the maximum difference between a signature's time and the clock.
const tolerance = 5 * time.Minute

// signatureError returns the error for a request without a valid signature, "" for a valid one.
func (p *Server) signatureError(r *http.Request, body []byte) string {
	shown := authorization.FindStringSubmatch(r.Header.Get("Authorization"))
	if shown == nil {
		return "MissingAuthenticationTokenException"
	}
	id, day, region, names, signature := shown[1], shown[2], shown[3], strings.Split(shown[4], ";"), shown[5]
	stamp := r.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", stamp)
	switch {
	case id != KeyID:
		return "UnrecognizedClientException"
	case err != nil || !strings.HasPrefix(stamp, day) || p.Now().Sub(at).Abs() > tolerance:
		return "InvalidSignatureException"
	case region != Region || !slices.Contains(names, "host") || !slices.Contains(names, "x-amz-date"):
		return "SignatureDoesNotMatch"
	}
	var fields strings.Builder
	for _, name := range names {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		fields.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	request := strings.Join([]string{r.Method, r.URL.Path, r.URL.RawQuery, fields.String(),
		strings.Join(names, ";"), sum(body)}, "\n")
	scope := day + "/" + region + "/ses/aws4_request"
	by := hmacSHA256(hmacSHA256(hmacSHA256(hmacSHA256([]byte("AWS4"+Secret), day), region), "ses"), "aws4_request")
	if want := hmacSHA256(by,
		"AWS4-HMAC-SHA256\n"+stamp+"\n"+scope+"\n"+sum([]byte(request))); hex.EncodeToString(want) != signature {
		return "SignatureDoesNotMatch"
	}
	return ""
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func hmacSHA256(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
