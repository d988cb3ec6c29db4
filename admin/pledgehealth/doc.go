// Package pledgehealth finds pledges that will fail unless somebody does something before
// the deadline: their card runs out by then or is gone, or their supporter can't be reached.
// It asks those for another card whom a mail reaches, once.
//
// Cards are read at the processor when somebody looks: nothing of a card is kept, and banks
// renew the dates of cards without anybody's doing.
package pledgehealth
