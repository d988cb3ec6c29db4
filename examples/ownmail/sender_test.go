package ownmail_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/examples/ownmail"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
)

// service is a fake mail service. It implements notifytest.Provider.
type service struct {
	mu        sync.Mutex
	now       time.Time
	failures  []notifytest.Failure
	known     map[string]time.Time
	delivered []notifytest.Letter
}

func (s *service) FailNext(all ...notifytest.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, all...)
}

func (s *service) Delivered() []notifytest.Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delivered
}

func (s *service) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *service) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var failure notifytest.Failure
	if len(s.failures) > 0 {
		failure, s.failures = s.failures[0], s.failures[1:]
	}
	switch failure {
	case notifytest.Refuse:
		http.Error(w, "no such mailbox", http.StatusUnprocessableEntity)
		return
	case notifytest.Later:
		http.Error(w, "too much at once", http.StatusTooManyRequests)
		return
	case notifytest.BadCredentials:
		http.Error(w, "", http.StatusUnauthorized)
		return
	case notifytest.LoseRequest:
		panic(http.ErrAbortHandler)
	case notifytest.LoseAnswer: // handled below, after the mail is accepted
	}
	var m struct {
		notify.Mail
		Headers []notify.Header `json:"headers"`
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, "", http.StatusUnauthorized)
		return
	}
	if until, ok := s.known[m.Key]; !ok || !s.now.Before(until) {
		s.known[m.Key] = s.now.Add(24 * time.Hour)
		l := notifytest.Letter{From: m.From, To: m.To, ReplyTo: m.ReplyTo, Subject: m.Subject, Text: m.Text,
			HTML: m.HTML, Header: map[string]string{}, Attachment: m.Attachment}
		for _, h := range m.Headers {
			l.Header[h.Name] = h.Value
		}
		s.delivered = append(s.delivered, l)
	}
	if failure == notifytest.LoseAnswer {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = fmt.Fprint(w, "sent-", m.Key)
}

func TestSender_Conformance(t *testing.T) {
	notifytest.Run(t, func(t testing.TB) (notify.Sender, notifytest.Provider) {
		s := &service{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), known: map[string]time.Time{}}
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		return ownmail.Sender{URL: server.URL, Token: "secret"}, s
	}, func(now func() time.Time) kv.Store { return memkv.New(memkv.Options{Now: now}).Store("PLEDGES") })
}
