// Package media takes pictures, films and recordings for campaigns: it says what an upload
// may be and where it belongs, and takes out of it what tells where and by whom it was made.
//
// Nothing is decoded here. A picture is walked through by its headers and chunks, so that
// one that would unpack to gigabytes costs no more than its bytes.
package media
