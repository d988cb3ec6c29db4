package smtp

import (
	"errors"
	"net/textproto"

	"github.com/wneessen/go-mail"

	"github.com/pledgeworks/pledgeworks/notify"
)

// receipt says what the end of a conversation means for the mail.
//
// A mail is the server's from its answer to the dot on. Before the dot nothing was taken,
// whatever broke; behind it, only an answer tells.
func receipt(msg *mail.Msg, err error) (notify.Receipt, error) {
	if err == nil || msg.IsDelivered() {
		return notify.Receipt{Outcome: notify.Accepted, ProviderID: msg.GetMessageID()}, nil
	}
	var failed *mail.SendError
	if !errors.As(err, &failed) {
		return notify.Receipt{}, err
	}
	r := notify.Receipt{Outcome: notify.RetryLater, Reason: err.Error()}
	switch answered := failed.ErrorCode(); {
	case failed.Reason == mail.ErrSMTPMailFrom && answered >= 500:
		r.RetryAfter, r.Account = forOperator, true
	case answered >= 500:
		r.Outcome = notify.Refused
	case failed.Reason == mail.ErrSMTPDataClose && answered == 0:
		return notify.Receipt{}, errors.New("smtp: the connection broke behind the mail")
	case failed.Reason == mail.ErrGetSender, failed.Reason == mail.ErrGetRcpts, failed.Reason == mail.ErrNoUnencoded:
		r.Outcome = notify.Refused
	}
	return r, nil
}

// code is the server's answer in an error, 0 where there was none.
func code(err error) int {
	var answered *textproto.Error
	if errors.As(err, &answered) {
		return answered.Code
	}
	return 0
}
