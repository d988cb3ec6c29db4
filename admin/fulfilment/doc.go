// Package fulfilment is what is done for supporters once they are charged: their parcels are
// packed and sent, one by one, by a list, by a scanner, or by a carrier's file.
//
// The order object keeps how far each parcel is, and who said so: see order.Act. A mark is
// known by an identity, so that it is made once however often it is sent, and one that
// changes nothing leaves nothing.
package fulfilment
