// Package access knows the people who run campaigns: who they are, what they may do, how
// they sign in, and which sessions they have.
//
// Everything is in one object, so that two editors never lose each other's change, a link
// is used once, and whoever is deleted or demoted is out at once. The Store has copies
// under admin-users:v1, admin-login:{hash} and admin-session:{hash}, which nobody reads to
// decide anything.
//
// Secrets are not stored: a link, a code and a cookie are known by their hashes.
package access
