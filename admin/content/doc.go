// Package content changes what campaigns say, in the repository that they are kept in.
//
// An edit names a field, the value it had when its editor saw it, and the value it shall
// have. What others changed in between stays: an edit is made where its field still has the
// old value, and is a conflict where it has not. A change is published whole, as one commit,
// or not at all, and only where the file is in order afterwards, by the rules of
// pledged check.
package content
