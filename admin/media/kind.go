package media

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Kind is the kind of an upload.
type Kind string

// The kinds.
const (
	Image Kind = "image"
	Audio Kind = "audio"
	Video Kind = "video"
)

// Use is the purpose of an upload, which determines where it is stored.
type Use string

// The uses. Files for the first two belong to the platform and are shared by all campaigns.
const (
	Default       Use = "default"
	AddOn         Use = "add-on"
	CampaignAddOn Use = "campaign-add-on"
	Campaign      Use = "campaign"
)

// Shared reports whether files for this use are shared by all campaigns.
func (u Use) Shared() bool { return u != CampaignAddOn && u != Campaign }

// MaxSize returns the maximum size of a file in bytes. The limit for videos is given by the
// specification.
func (k Kind) MaxSize() int64 {
	switch k {
	case Image:
		return 8 << 20
	case Audio:
		return 32 << 20 // half an hour at 128 kbit/s
	case Video:
		return 100 << 20
	}
	return 0
}

// folders maps each kind and use to its folder. Files of a campaign are in a subfolder with
// its slug.
var folders = map[Kind]map[Use]string{
	Image: {
		Default: "assets/images/defaults", AddOn: "assets/images/add-ons",
		CampaignAddOn: "assets/images/campaign-add-ons", Campaign: "assets/images/campaigns",
	},
	Audio: {Campaign: "assets/audio/campaigns"},
	Video: {Default: "assets/videos/defaults", Campaign: "assets/videos/campaigns"},
}

// Folder returns the folder for files of a kind and use. It fails with code Invalid if
// there is none, or if a campaign is given for a shared use or missing for another.
func Folder(k Kind, u Use, slug string) (string, error) {
	folder, ok := folders[k][u]
	if !ok {
		return "", fault.New(fault.Invalid, "Files of this kind cannot be used for this purpose").In("use")
	}
	if u.Shared() {
		if slug != "" {
			return "", fault.New(fault.Invalid,
				"Files of the platform do not belong to a campaign: leave out the slug").In("campaignSlug")
		}
		return folder, nil
	}
	if _, err := campaign.ParseSlug(slug); err != nil {
		return "", fault.New(fault.Invalid,
			"A slug can contain only lower-case letters, digits and hyphens").In("campaignSlug")
	}
	return path.Join(folder, slug), nil
}

// format is an accepted file format.
type format struct {
	kind       Kind
	mime       string
	extensions []string
	clean      func(b []byte) (Sanitized, error)
}

var formats = []format{
	{Image, "image/jpeg", []string{".jpg", ".jpeg"}, picture("image/jpeg")},
	{Image, "image/png", []string{".png"}, picture("image/png")},
	{Image, "image/webp", []string{".webp"}, picture("image/webp")},
	{Image, "image/gif", []string{".gif"}, picture("image/gif")},
	{Video, "video/mp4", []string{".mp4"}, cleanMP4},
	{Video, "video/quicktime", []string{".mov"}, cleanMOV},
	{Video, "video/webm", []string{".webm"}, checkWebM},
	{Audio, "audio/mpeg", []string{".mp3"}, checkMP3},
	{Audio, "audio/mp4", []string{".m4a"}, cleanM4A},
	{Audio, "audio/ogg", []string{".ogg"}, checkOGG},
	{Audio, "audio/wav", []string{".wav"}, checkWAV},
	{Audio, "audio/flac", []string{".flac"}, checkFLAC},
}

// maxName is the maximum length of a file name in characters.
const maxName = 100

var fileName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)$`)

// formatOf returns the format for a file name. It fails with code Invalid unless the name is a slug
// followed by one of the kind's extensions.
func formatOf(k Kind, name string) (format, error) {
	if len(name) > maxName || !fileName.MatchString(name) {
		return format{}, fault.New(fault.Invalid,
			"The file name must consist of lower-case letters, digits and single hyphens, with one extension and at most %d characters",
			maxName).In("filename")
	}
	i := slices.IndexFunc(formats,
		func(f format) bool { return f.kind == k && slices.Contains(f.extensions, path.Ext(name)) })
	if i < 0 {
		return format{}, fault.New(fault.Invalid, "Unsupported file type: use one of %s",
			strings.Join(Extensions(k), ", ")).In("filename")
	}
	return formats[i], nil
}

// Extensions returns the extensions of the formats of a kind.
func Extensions(k Kind) []string {
	var all []string
	for _, f := range formats {
		if f.kind == k {
			all = append(all, f.extensions...)
		}
	}
	return all
}

// Sanitized is a validated upload without metadata.
type Sanitized struct {
	Type  string // media type
	Bytes []byte
	// Width and Height are those of a stored picture in pixels; otherwise zero.
	Width, Height int
	// Orientation is the picture's EXIF orientation: 1 to 8, where 1 is upright.
	Orientation int
}

// Sanitize validates an upload against its kind and name, and removes metadata. A picture is
// copied; a video is modified in place. It fails with code Invalid and the field file or
// filename.
func Sanitize(k Kind, name string, b []byte) (Sanitized, error) {
	f, err := formatOf(k, name)
	if err != nil {
		return Sanitized{}, err
	}
	if int64(len(b)) > k.MaxSize() {
		return Sanitized{}, invalidFile("The file is larger than %d MB", k.MaxSize()>>20)
	}
	c, err := f.clean(b)
	if err != nil {
		return Sanitized{}, err
	}
	c.Type = f.mime
	return c, nil
}

func invalidFile(text string, args ...any) error {
	return fault.New(fault.Invalid, text, args...).In("file")
}

const incomplete = "The file is incomplete: it ends too early"

func truncated() error { return invalidFile(incomplete) }

func contentMismatch(extension string) error {
	return invalidFile("The file is not a valid %s: its content must match its name", extension)
}
