package smtp

import (
	"errors"
	"net/textproto"

	"github.com/wneessen/go-mail"

	"github.com/pledgeworks/pledgeworks/notify"
)

// receipt converts the result of an SMTP session to a receipt.
//
// The server takes responsibility for a mail when it confirms the final dot. If the session
// fails before the dot, the mail was not accepted; if it fails after the dot and before the
// reply, that is unknown.
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
		r.RetryAfter, r.Account = operatorWait, true
	case answered >= 500:
		r.Outcome = notify.Refused
	case failed.Reason == mail.ErrSMTPDataClose && answered == 0:
		return notify.Receipt{}, errors.New("smtp: the connection broke before the server confirmed the mail")
	case failed.Reason == mail.ErrGetSender, failed.Reason == mail.ErrGetRcpts, failed.Reason == mail.ErrNoUnencoded:
		r.Outcome = notify.Refused
	}
	return r, nil
}

// replyCode returns the server's reply code from an error, 0 if there was no reply.
func replyCode(err error) int {
	if answered, ok := errors.AsType[*textproto.Error](err); ok {
		return answered.Code
	}
	return 0
}
