package campaign

import (
	"bytes"
	"unicode/utf8"
)

// CheckEncoding returns Problems with the first line that is not valid UTF-8, or nil. A file with
// such a line was saved in another encoding, so its special characters would be lost.
func CheckEncoding(file string, src []byte) error {
	for line := 1; len(src) > 0; line++ {
		text, rest, _ := bytes.Cut(src, []byte("\n"))
		if !utf8.Valid(text) {
			return Problems{{File: file, Line: line, Message: "has characters that are not UTF-8: " +
				"save the file with the encoding UTF-8, then check its accents and umlauts"}}
		}
		src = rest
	}
	return nil
}
