package broadcast

import (
	"cmp"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// noAnswer is the reason stored with an Ambiguous member.
const noAnswer = "no answer from the provider"

const (
	// lease is how long an attempt may take before it is considered crashed.
	lease = 10 * time.Minute
	// retryMargin is the safety margin before a provider forgets a key, within which no retry
	// starts.
	retryMargin = time.Hour
	// maxClockSkew is how far ahead a server's clock may be.
	maxClockSkew = 15 * time.Minute
	// The wait after an attempt doubles from the minimum to the maximum.
	minRetryWait, maxRetryWait = time.Minute, time.Hour
)

type nextUnit struct{}

func (nextUnit) Kind() string { return "next" }

// dueUnit is the next unit to attempt. If none is due, Unit is nil and Wait is the time until the
// next one is; Wait is 0 if no unit is open or the broadcast is not sending.
type dueUnit struct {
	Broadcast Broadcast     `json:"broadcast"`
	Unit      *unit         `json:"unit,omitempty"`
	Members   []Member      `json:"members,omitempty"` // of its chunk
	Wait      time.Duration `json:"wait,omitempty"`
}

func runNextUnit(tx kv.Tx, now time.Time, _ nextUnit) (dueUnit, error) {
	b, err := loadBroadcast(tx)
	d := dueUnit{Broadcast: b}
	if err != nil || b.Phase != Sending {
		return d, err
	}
	for u, err := range openUnits(tx) {
		if err != nil {
			return d, err
		}
		if wait := u.timeUntilDue(now); wait > 0 {
			d.Wait = min(cmp.Or(d.Wait, wait), wait)
			continue
		}
		c, _, err := kv.Load[chunk](tx, chunkKey(u.Chunk))
		d.Unit, d.Members, d.Wait = &u, c.Members, 0
		return d, err
	}
	return d, nil
}

// attempt records that a unit is about to be sent. Skip contains the reason for each member, by
// index in the chunk, whose address is suppressed: they are left out of the unit.
type attempt struct {
	Name      string         `json:"name"`
	Number    int            `json:"number"`
	By        string         `json:"by"`
	Skip      map[int]string `json:"skip,omitempty"`
	Remembers time.Duration  `json:"remembers"` // how long the provider remembers a key; 0 if not at all
}

func (attempt) Kind() string { return "attempt" }

// runAttempt returns the unit to send, without items if there is nothing to send.
func runAttempt(tx kv.Tx, now time.Time, cmd attempt) (unit, error) {
	b, err := loadBroadcast(tx)
	if err != nil {
		return unit{}, err
	}
	u, ok, err := kv.Load[unit](tx, openPrefix+cmd.Name)
	if err != nil || ok && u.By == cmd.By {
		return u, err
	}
	if !ok || b.Phase != Sending || u.Attempts+1 != cmd.Number || u.timeUntilDue(now) > 0 {
		return unit{}, nil
	}
	if u.By != "" && u.UnknownSince.IsZero() {
		u.UnknownSince = u.AttemptAt // the last attempt was interrupted
	}
	if !u.UnknownSince.IsZero() && !now.Before(u.UnknownSince.Add(cmd.Remembers-retryMargin)) {
		return unit{}, closeUnit(tx, b, u, Ambiguous, noAnswer, now)
	}
	doubt := !u.UnknownSince.IsZero()
	if u, err = leaveOut(tx, u, cmd.Skip); err != nil {
		return unit{}, err
	}
	switch {
	case len(u.Items) == 0 && doubt:
		return unit{}, closeUnit(tx, b, u, Ambiguous, noAnswer, now)
	case len(u.Items) == 0:
		return unit{}, closeUnit(tx, b, u, Pending, "", now)
	}
	u.By, u.AttemptAt, u.DueAt, u.Attempts = cmd.By, now, now.Add(lease), cmd.Number
	return u, kv.PutValue(tx, openPrefix+u.Name, u)
}

// updateChunk rewrites the members of a chunk.
func updateChunk(tx kv.Tx, n int, f func(i int, m *Member)) error {
	c, _, err := kv.Load[chunk](tx, chunkKey(n))
	if err != nil {
		return err
	}
	for i := range c.Members {
		f(i, &c.Members[i])
	}
	return kv.PutValue(tx, chunkKey(n), c)
}

// closeUnit removes a unit and sets the final state of its members that are still pending. If it
// was the last unit, the broadcast is done.
func closeUnit(tx kv.Tx, b Broadcast, u unit, s State, reason string, now time.Time) error {
	err := updateChunk(tx, u.Chunk, func(i int, m *Member) {
		if m.State == Pending {
			m.State, m.Reason = u.finalState(i, s, reason)
		}
	})
	if err != nil {
		return err
	}
	if err := tx.Delete(openPrefix + u.Name); err != nil {
		return err
	}
	return finish(tx, b, now)
}

// finish marks the broadcast done if it has no open units and was not stopped.
func finish(tx kv.Tx, b Broadcast, now time.Time) error {
	page, err := tx.List(openPrefix, "", 1)
	if err != nil || len(page) > 0 || b.Phase == Stopped {
		return err
	}
	b.Phase, b.Reason, b.EndedAt = Done, "", now
	return kv.PutValue(tx, headKey, b)
}

// attemptResult records the result of an attempt for the items that were in it. Without
// receipts the result is unknown.
type attemptResult struct {
	Name      string           `json:"name"`
	By        string           `json:"by"`
	Chunk     int              `json:"chunk"`
	Items     []int            `json:"items,omitempty"`
	Receipts  []notify.Receipt `json:"receipts,omitempty"`
	Remembers time.Duration    `json:"remembers"`
}

func (attemptResult) Kind() string { return "tell" }

func runAttemptResult(tx kv.Tx, now time.Time, cmd attemptResult) (none, error) {
	b, err := loadBroadcast(tx)
	if err != nil {
		return none{}, err
	}
	u, ok, err := kv.Load[unit](tx, openPrefix+cmd.Name)
	if err != nil {
		return none{}, err
	}
	if !ok || u.By != cmd.By {
		return none{}, applyLateResult(tx, cmd)
	}
	u.By = ""
	switch {
	case len(cmd.Receipts) == 0:
		return none{}, recordLostAnswer(tx, b, u, now, cmd.Remembers)
	case cmd.Receipts[0].Outcome == notify.Divide:
		return none{}, splitUnit(tx, b, u, now, cmd.Receipts[0].Reason)
	case cmd.Receipts[0].Outcome == notify.KeyReused && len(u.LeftOut) > 0:
		return none{}, closeUnit(tx, b, u, Accepted, "", now)
	case len(cmd.Receipts) != len(u.Items):
		return none{}, fault.New(fault.Invalid, "got %d receipts for %d mails", len(cmd.Receipts), len(u.Items))
	}
	return none{}, applyReceipts(tx, b, u, now, cmd.Receipts)
}

// applyLateResult records the result of an attempt that was considered crashed: Ambiguous members
// become Accepted according to their receipts.
func applyLateResult(tx kv.Tx, cmd attemptResult) error {
	if len(cmd.Receipts) == 0 || len(cmd.Receipts) != len(cmd.Items) {
		return nil
	}
	return updateChunk(tx, cmd.Chunk, func(i int, m *Member) {
		at := slices.Index(cmd.Items, i)
		if at >= 0 && m.State == Ambiguous && cmd.Receipts[at].Outcome == notify.Accepted {
			m.State, m.Reason, m.ProviderID = Accepted, "", cmd.Receipts[at].ProviderID
		}
	})
}

// recordLostAnswer schedules a retry of a unit whose attempt got no answer, or closes it if the
// provider no longer remembers its key reliably.
func recordLostAnswer(tx kv.Tx, b Broadcast, u unit, now time.Time, remembers time.Duration) error {
	if u.UnknownSince.IsZero() {
		u.UnknownSince = u.AttemptAt
	}
	if !now.Before(u.UnknownSince.Add(remembers - retryMargin)) {
		return closeUnit(tx, b, u, Ambiguous, noAnswer, now)
	}
	u.DueAt = now.Add(retryWait(u.Attempts))
	return kv.PutValue(tx, openPrefix+u.Name, u)
}

// retryWait returns the delay before the next attempt, given the number of attempts so far.
func retryWait(attempts int) time.Duration {
	w := minRetryWait
	for range attempts - 1 {
		w = min(2*w, maxRetryWait)
	}
	return w
}

// splitUnit splits a unit that contains an invalid mail into two. The attempts of the smaller units
// eventually isolate that mail, and its unit is closed as Refused.
func splitUnit(tx kv.Tx, b Broadcast, u unit, now time.Time, reason string) error {
	if len(u.Items) == 1 {
		return closeUnit(tx, b, u, Refused, reason, now)
	}
	err := updateChunk(tx, u.Chunk, func(i int, m *Member) {
		if m.State == Pending && !slices.Contains(u.Items, i) {
			m.State, m.Reason = u.finalState(i, Pending, "")
		}
	})
	if err != nil {
		return err
	}
	var halves [2][]int
	for at, i := range u.Items {
		halves[at&1] = append(halves[at&1], i)
	}
	for _, items := range halves {
		part := newUnit(u.Chunk, items, now)
		if err := kv.PutValue(tx, openPrefix+part.Name, part); err != nil {
			return err
		}
	}
	return tx.Delete(openPrefix + u.Name)
}

// applyReceipts records the receipts of an attempt and schedules retries of the members with
// RetryLater. An account problem pauses the broadcast.
func applyReceipts(tx kv.Tx, b Broadcast, u unit, now time.Time, receipts []notify.Receipt) error {
	var waiting []int
	var longest time.Duration
	err := updateChunk(tx, u.Chunk, func(i int, m *Member) {
		at := slices.Index(u.Items, i)
		if at < 0 || m.State != Pending {
			return
		}
		switch r := receipts[at]; r.Outcome {
		case notify.Accepted:
			m.State, m.Reason, m.ProviderID = Accepted, "", r.ProviderID
		case notify.Refused, notify.KeyReused:
			m.State, m.Reason = Refused, r.Reason
		case notify.RetryLater:
			waiting, longest = append(waiting, i), max(longest, r.RetryAfter)
		default:
			m.State, m.Reason = Ambiguous, "unexpected outcome from the email provider"
		}
	})
	if err != nil {
		return err
	}
	if account := slices.IndexFunc(receipts, func(r notify.Receipt) bool { return r.Account }); account >= 0 &&
		b.Phase == Sending {
		b.Phase, b.Reason = Paused, receipts[account].Reason
		if err := kv.PutValue(tx, headKey, b); err != nil {
			return err
		}
	}
	u.DueAt = now.Add(max(longest, retryWait(u.Attempts)))
	// If the provider may have accepted an earlier attempt, the unit is retried unchanged under
	// its key, even if events have since confirmed some members: only the provider's answer
	// settles the members that were left out.
	later := slices.ContainsFunc(receipts, func(r notify.Receipt) bool { return r.Outcome == notify.RetryLater })
	if len(waiting) == len(u.Items) || len(waiting) > 0 && !u.UnknownSince.IsZero() || later && len(u.LeftOut) > 0 {
		return kv.PutValue(tx, openPrefix+u.Name, u)
	}
	for _, i := range waiting {
		one := newUnit(u.Chunk, []int{i}, u.DueAt)
		one.AttemptAt = u.AttemptAt
		if err := kv.PutValue(tx, openPrefix+one.Name, one); err != nil {
			return err
		}
	}
	return closeUnit(tx, b, u, Pending, "", now)
}

// memberEvent records an event about member I of chunk N.
type memberEvent struct {
	N      int              `json:"n"`
	I      int              `json:"i"`
	Event  notify.EventKind `json:"event"`
	At     time.Time        `json:"at"`
	Reason string           `json:"reason,omitempty"`
}

func (memberEvent) Kind() string { return "note" }

// eventMember identifies the member that an event was about.
type eventMember struct {
	Found     bool   `json:"found"`
	Recipient string `json:"recipient,omitempty"`
	Campaign  string `json:"campaign"`
}

func runMemberEvent(tx kv.Tx, _ time.Time, cmd memberEvent) (eventMember, error) {
	b, ok, err := kv.Load[Broadcast](tx, headKey)
	if err != nil || !ok {
		return eventMember{}, err
	}
	c, _, err := kv.Load[chunk](tx, chunkKey(cmd.N))
	if err != nil || cmd.I >= len(c.Members) {
		return eventMember{}, err
	}
	m := &c.Members[cmd.I]
	reason := ""
	if m.Email != "" { // without it, the address could not be removed from the reason
		reason = notify.Reason(cmd.Reason, m.Email)
	}
	m.applyEvent(cmd.Event, cmd.At, reason)
	return eventMember{Found: true, Recipient: m.Recipient, Campaign: b.Message.Campaign}, kv.PutValue(tx, chunkKey(cmd.N), c)
}

// applyEvent applies an event, unless a newer one was applied before. A complaint is always applied
// and final. The unit of a pending member is still attempted, because its mails must not change
// between attempts.
func (m *Member) applyEvent(e notify.EventKind, at time.Time, reason string) {
	if e == notify.Complained {
		m.State, m.Reason = Complained, ""
	}
	if at.Before(m.LastEventAt) || m.State == Complained {
		return
	}
	m.LastEventAt = at
	switch e {
	case notify.Taken, notify.Delivered:
		m.State, m.Reason = Accepted, ""
	case notify.Delayed:
		if m.State == Pending || m.State == Ambiguous {
			m.State, m.Reason = Accepted, ""
		}
	case notify.Bounced, notify.Returned, notify.Unsent:
		m.State, m.Reason = Bounced, reason
	case notify.Complained:
	}
}
