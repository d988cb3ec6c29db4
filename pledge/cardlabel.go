package pledge

// CardLabel is by what somebody knows a card. It is as much of a card's number as PCI DSS 4.0
// lets everybody keep and show (requirements 3.4 and 3.5 are about the rest).
type CardLabel struct {
	Brand string `json:"brand,omitempty"` // as the processor names it, such as "visa"
	Last4 string `json:"last4"`           // the last four digits of its number
}
