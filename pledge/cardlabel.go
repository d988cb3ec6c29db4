package pledge

// CardLabel identifies a card to its holder. PCI DSS 4.0 allows these parts of a card's
// number to be stored and shown (requirements 3.4 and 3.5 are about the rest).
type CardLabel struct {
	Brand string `json:"brand,omitempty"` // Stripe's name, such as "visa"
	Last4 string `json:"last4"`           // last four digits of the number
}
