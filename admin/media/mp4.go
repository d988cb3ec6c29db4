package media

import (
	"encoding/binary"
	"slices"
)

// The brands that are accepted for each extension.
var (
	filmBrands = []string{"isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41",
		"mp42", "mp71", "avc1", "av01", "dash", "MSNV", "M4V ", "M4VH", "M4VP"}
	soundBrands = []string{"M4A ", "M4B ", "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "dash"}
	movBrands   = []string{"qt  "}
)

func cleanMP4(b []byte) (Sanitized, error) { return cleanBoxes(b, "MP4", filmBrands, "vide") }
func cleanMOV(b []byte) (Sanitized, error) { return cleanBoxes(b, "MOV", movBrands, "vide") }
func cleanM4A(b []byte) (Sanitized, error) { return cleanBoxes(b, "M4A", soundBrands, "soun") }

// cleanBoxes validates a video or MPEG-4 recording and removes metadata by overwriting it in place:
// metadata boxes, and tracks that are neither video, audio nor text. The file must have one of the
// brands and a track with the handler.
func cleanBoxes(b []byte, extension string, brands []string, handler string) (Sanitized, error) {
	if len(b) < 16 || string(b[4:8]) != "ftyp" {
		return Sanitized{}, contentMismatch(extension)
	}
	tracks := map[string]int{}
	data := false
	err := eachBox(b, func(i int, name string, whole []byte, body []byte) error {
		switch {
		case (i == 0) != (name == "ftyp"):
			return invalidFile("The video is damaged")
		case name == "ftyp" && !hasBrand(body, brands):
			return contentMismatch(extension)
		case name == "moov":
			return blankMovie(body, tracks)
		case name == "meta" || name == "udta" || name == "uuid":
			blank(whole, body)
		case name == "mdat":
			data = true
		}
		return nil
	})
	switch {
	case err != nil:
		return Sanitized{}, err
	case !data || len(tracks) == 0:
		return Sanitized{}, truncated()
	case tracks[handler] == 0 || handler == "soun" && tracks["vide"] > 0:
		return Sanitized{}, contentMismatch(extension)
	}
	return Sanitized{Bytes: b}, nil
}

// hasBrand reports whether the major brand or a compatible brand is one of brands.
func hasBrand(body []byte, brands []string) bool {
	for at := 0; at+4 <= len(body); at += 4 {
		if at != 4 && slices.Contains(brands, string(body[at:at+4])) { // the version is at 4
			return true
		}
	}
	return false
}

// keptHandlers are the handlers of the tracks that are kept.
var keptHandlers = []string{"vide", "soun", "text", "sbtl", "subt", "clcp"}

func blankMovie(movie []byte, tracks map[string]int) error {
	return eachBox(movie, func(_ int, name string, whole, body []byte) error {
		switch name {
		case "udta", "meta", "uuid":
			blank(whole, body)
		case "trak":
			handler, err := blankTrack(body)
			if err != nil {
				return err
			}
			if !slices.Contains(keptHandlers, handler) {
				blank(whole, body)
				return nil
			}
			tracks[handler]++
		}
		return nil
	})
}

// blankTrack removes the metadata of a track and returns its handler.
func blankTrack(track []byte) (handler string, err error) {
	err = eachBox(track, func(_ int, name string, whole, body []byte) error {
		switch name {
		case "udta", "meta", "uuid":
			blank(whole, body)
		case "mdia":
			return eachBox(body, func(_ int, name string, _, body []byte) error {
				if name == "hdlr" && len(body) >= 12 {
					handler = string(body[8:12])
				}
				return nil
			})
		}
		return nil
	})
	return handler, err
}

// blank overwrites a box with a free box of the same size.
func blank(whole, body []byte) {
	copy(whole[4:], "free")
	clear(body)
}

// eachBox calls visit for each box. It fails with code Invalid if a box is truncated.
func eachBox(b []byte, visit func(i int, name string, whole, body []byte) error) error {
	for i := 0; len(b) > 0; i++ {
		if len(b) < 8 {
			return truncated()
		}
		head, size := uint64(8), uint64(binary.BigEndian.Uint32(b))
		switch {
		case size == 0:
			size = uint64(len(b))
		case size == 1 && len(b) >= 16:
			head, size = 16, binary.BigEndian.Uint64(b[8:])
		}
		if size < head || size > uint64(len(b)) {
			return truncated()
		}
		if err := visit(i, string(b[4:8]), b[:size], b[head:size]); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}
