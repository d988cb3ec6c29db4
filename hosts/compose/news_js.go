package compose

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A Worker sends no broadcasts: the mail templates and the Markdown parser would make it too large.

func noNews() (Broadcasting, error) {
	return Broadcasting{}, fault.New(fault.Unavailable, "This host does not send broadcasts")
}

func (s *Services) send(context.Context, notify.Kind, NewsRequest) (Broadcasting, error) {
	return noNews()
}

// SendDiary fails with code Unavailable.
func (s *Services) SendDiary(context.Context, DiaryRequest) (Broadcasting, error) { return noNews() }

// SendMilestone fails with code Unavailable.
func (s *Services) SendMilestone(context.Context, string) (Broadcasting, error) { return noNews() }

// BroadcastStatus fails with code Unavailable.
func (s *Services) BroadcastStatus(context.Context, string) (BroadcastView, error) {
	_, err := noNews()
	return BroadcastView{}, err
}

// TurnBroadcast fails with code Unavailable.
func (s *Services) TurnBroadcast(context.Context, TurnRequest) (BroadcastView, error) {
	_, err := noNews()
	return BroadcastView{}, err
}

func (s *Services) stepNews(context.Context) (wait time.Duration, more bool, err error) {
	return 0, false, nil
}

func (s *Services) forgetNews(context.Context) error { return nil }

func (s *Services) audience() broadcast.Audience { return nil }
