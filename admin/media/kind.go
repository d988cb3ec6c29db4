package media

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Kind is what an upload is.
type Kind string

// The kinds.
const (
	Image Kind = "image"
	Audio Kind = "audio"
	Video Kind = "video"
)

// Use is what an upload is for, which decides where it belongs.
type Use string

// The uses. Files of the first two belong to the platform and are shared by all campaigns.
const (
	Default       Use = "default"
	AddOn         Use = "add-on"
	CampaignAddOn Use = "campaign-add-on"
	Campaign      Use = "campaign"
)

// Shared reports whether files for this use belong to no single campaign.
func (u Use) Shared() bool { return u != CampaignAddOn && u != Campaign }

// MaxSize is how large a file of the kind may be, in bytes: the figure for films is the
// specification's.
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

// folders are those for each kind and use. Files of one campaign lie in a folder with its
// slug.
var folders = map[Kind]map[Use]string{
	Image: {
		Default: "assets/images/defaults", AddOn: "assets/images/add-ons",
		CampaignAddOn: "assets/images/campaign-add-ons", Campaign: "assets/images/campaigns",
	},
	Audio: {Campaign: "assets/audio/campaigns"},
	Video: {Default: "assets/videos/defaults", Campaign: "assets/videos/campaigns"},
}

// Folder is where files of a kind belong by their use. It fails with code Invalid where
// there are none, and where a campaign is named that the use has no need of, or none.
func Folder(k Kind, u Use, slug string) (string, error) {
	folder, ok := folders[k][u]
	if !ok {
		return "", fault.New(fault.Invalid, "There is no place for files of this kind for that use").In("use")
	}
	if u.Shared() {
		if slug != "" {
			return "", fault.New(fault.Invalid, "What belongs to the platform has no campaign").In("campaignSlug")
		}
		return folder, nil
	}
	if _, err := campaign.ParseSlug(slug); err != nil {
		return "", fault.New(fault.Invalid, "A slug has lower-case letters, digits and hyphens").In("campaignSlug")
	}
	return path.Join(folder, slug), nil
}

// format is a kind of file that is taken, and what reads it.
type format struct {
	kind       Kind
	mime       string
	extensions []string
	clean      func(b []byte) (Accepted, error)
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

// maxName bounds a file's name, in characters.
const maxName = 100

var fileName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)$`)

// formatOf is the format that a name has to be of. It fails with code Invalid for what is
// not a slug and one extension of the kind.
func formatOf(k Kind, name string) (format, error) {
	if len(name) > maxName || !fileName.MatchString(name) {
		return format{}, fault.New(fault.Invalid, "A file's name has lower-case letters, digits and single hyphens, and one extension, at most %d characters in all", maxName).In("filename")
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.kind == k && slices.Contains(f.extensions, path.Ext(name)) })
	if i < 0 {
		return format{}, fault.New(fault.Invalid, "Take one of these: %s", strings.Join(Extensions(k), ", ")).In("filename")
	}
	return formats[i], nil
}

// Extensions are those that names of a kind's files may end with.
func Extensions(k Kind) []string {
	var all []string
	for _, f := range formats {
		if f.kind == k {
			all = append(all, f.extensions...)
		}
	}
	return all
}

// Accepted is an upload without what its format does not need to be shown.
type Accepted struct {
	Type  string // its media type
	Bytes []byte
	// Width and Height are a picture's as it is stored, in pixels; else zero.
	Width, Height int
	// Orientation is how a picture has to be turned, as EXIF counts: 1 to 8, and 1 is upright.
	Orientation int
}

// Accept holds an upload against its kind and name, and takes out of it what it should not
// tell. Pictures are copied; films are changed where they are. It fails with code Invalid,
// naming the field: file or filename.
func Accept(k Kind, name string, b []byte) (Accepted, error) {
	f, err := formatOf(k, name)
	if err != nil {
		return Accepted{}, err
	}
	if int64(len(b)) > k.MaxSize() {
		return Accepted{}, refuse("The file has more than %d MB", k.MaxSize()>>20)
	}
	c, err := f.clean(b)
	if err != nil {
		return Accepted{}, err
	}
	c.Type = f.mime
	return c, nil
}

func refuse(text string, args ...any) error {
	return fault.New(fault.Invalid, text, args...).In("file")
}

const notWhole = "The file is not whole: it ends before its content does"

func truncated() error { return refuse(notWhole) }

func unlike(extension string) error {
	return refuse("The file is no %s: its content has to be what its name says", extension)
}
