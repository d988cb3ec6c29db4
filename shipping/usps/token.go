package usps

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// authorize returns the cached token if it is valid, otherwise a new one. Concurrent callers share
// one request.
func (c *Carrier) authorize(ctx context.Context) (string, error) {
	if token := c.cachedToken(); token != "" {
		return token, nil
	}
	t, err, _ := c.flight.Do("token", func() (any, error) { return c.fetchToken(ctx) })
	token, _ := t.(string)
	return token, err
}

func (c *Carrier) cachedToken() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now().Before(c.until) {
		return c.token
	}
	return ""
}

// forget removes a token from the cache, unless it was already replaced.
func (c *Carrier) forget(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token == token {
		c.token, c.until = "", time.Time{}
	}
}

// fetchToken requests a token and caches it.
func (c *Carrier) fetchToken(ctx context.Context) (string, error) {
	body, err := json.Marshal(map[string]string{"client_id": c.id, "client_secret": c.secret,
		"grant_type": "client_credentials"})
	if err != nil {
		return "", err
	}
	res, err := c.call(ctx, "/oauth2/v3/token", "", body)
	if err != nil {
		return "", err
	}
	if res.status != http.StatusOK {
		return "", c.startCooldown(res, errRefused)
	}
	var out struct {
		Token   string      `json:"access_token"`
		Expires json.Number `json:"expires_in"` // seconds, as a string or a number
	}
	err = json.Unmarshal(res.body, &out)
	seconds, _ := out.Expires.Int64() // 0 if it is not a number
	if err != nil || out.Token == "" || seconds <= 0 {
		return "", c.startCooldown(res, errAnswer)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.until = out.Token, c.now().Add(max(time.Duration(min(seconds, 86400))*time.Second-tokenSlack, time.Second))
	return c.token, nil
}
