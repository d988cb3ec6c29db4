package schema

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// The groups of a campaign's page.
const (
	mediaGroup = "media"
	story      = "story"
	risks      = "risks"
	questions  = "questions"
	creator    = "creator"
	links      = "links"
)

func (t locale) contentGroups() []Group {
	return []Group{
		t.heading(mediaGroup,
			words{"Picture and video", "Imagen y vídeo", "The first thing people see on the page and when a link is shared.",
				"Lo primero que se ve en la página y al compartir un enlace."}),
		t.heading(story, words{"Story", "Historia", "Write as if a friend asked what you are making and why now.",
			"Escribe como si se lo contaras a un amigo: qué haces y por qué ahora."}),
		t.heading(risks, words{"Risks", "Riesgos", "Possible problems, and your plan for them.",
			"Los problemas posibles y cómo los resolverías."}),
		t.heading(questions, words{"Questions", "Preguntas", "", ""}),
		t.heading(creator, words{"Creator", "Responsable", "", ""}),
		t.heading(links, words{"Links", "Enlaces", "", ""}),
	}
}

func (t locale) content() []Field {
	return slices.Concat(group(mediaGroup,
		t.field("hero_image", Media, words{"Picture", "Imagen", "", ""}),
		t.text("hero_image_alt", campaign.MaxName, words{"Alt text", "Texto alternativo", "Read aloud by screen readers.",
			"Lo leen los lectores de pantalla."}, onlyIf("hero_image", "*")),
		t.field("hero_image_wide", Media, words{"Wide picture", "Imagen ancha", "Replaces the picture on wide screens.",
			"Sustituye a la imagen en pantallas anchas."}),
		t.field("hero_video", Media, words{"Video", "Vídeo", "", ""}, control(MediaControl)),
		t.field("campaign_background", Media, words{"Background", "Fondo", "", ""}),
	), group(story,
		t.blocks("long_content", words{"Story", "Historia", "", ""}),
		t.markdown(campaignfile.BodyPath, campaign.MaxBody, words{"Text below the story", "Texto bajo la historia", "", ""}),
	), group(risks,
		t.markdown("risks", campaign.MaxText, words{"Risks", "Riesgos", "", ""}),
	), group(questions,
		t.entries("faq", campaign.MaxList, "", `{"question":"","answer":""}`,
			words{"Questions", "Preguntas", "", ""}, []Field{
				t.text("question", campaign.MaxBlurb, words{"Question", "Pregunta", "", ""}, required,
					minLength(1), control(TextControl)),
				t.markdown("answer", campaign.MaxDescription, words{"Answer", "Respuesta", "", ""}, required, minLength(1)),
			}),
	), group(creator,
		t.text("creator_name", campaign.MaxName, words{"Creator", "Responsable", "The person or team behind the campaign.",
			"La persona o el equipo de la campaña."}, inherits("platform.default_creator_name")),
		t.field("creator_image", Media, words{"Picture", "Imagen", "", ""}),
		t.markdown("creator_about", campaign.MaxDescription, words{"About", "Sobre ti", "", ""}),
	), group(links,
		t.text("instagram", 200, words{"Instagram account", "Cuenta de Instagram", "", ""},
			matching(`^@?(?:https://www\.instagram\.com/)?[A-Za-z0-9._]{0,30}/?$`)),
		t.entries("creator_links", campaign.MaxLinks, "", `{"label":"","url":""}`, words{"Links", "Enlaces", "", ""}, []Field{
			t.text("label", campaign.MaxName, words{"Text", "Texto", "Empty: the site's name.", "Vacío: el nombre del sitio."}),
			t.field("url", URL, words{"Link", "Enlace", "", ""}, required),
		}),
	))
}

func (t locale) blocks(path string, w words, options ...option) Field {
	f := t.entries(path, campaign.MaxBlocks, "", `{"type":"text","text":""}`, w, t.blockFields(), options...)
	f.Kind = Blocks
	return f
}

const (
	textType    = string(campaign.TextBlock)
	quoteType   = string(campaign.QuoteBlock)
	imageType   = string(campaign.ImageBlock)
	galleryType = string(campaign.GalleryBlock)
	videoType   = string(campaign.VideoBlock)
	audioType   = string(campaign.AudioBlock)
	embedType   = string(campaign.EmbedBlock)
	dividerType = string(campaign.DividerBlock)
)

func (t locale) blockFields() []Field {
	return []Field{
		t.field("type", Choice, words{"Type", "Tipo", "", ""}, required, t.choices(
			textType, "Text", "Texto", quoteType, "Quote", "Cita", imageType, "Picture", "Imagen",
			galleryType, "Gallery", "Galería",
			videoType, "Video", "Vídeo", audioType, "Audio", "Audio", embedType, "Embed",
			"Contenido incrustado", dividerType, "Divider", "Separador")),
		t.markdown("text", campaign.MaxText, words{"Text", "Texto", "", ""}, required, minLength(1),
			only(textType, quoteType)),
		t.text("attribution", campaign.MaxName, words{"Attribution", "Autoría", "", ""}, only(quoteType)),
		t.field("src", Media, words{"File", "Archivo", "", ""}, required, only(imageType, videoType, audioType),
			control(MediaControl)),
		t.alt(only(imageType)),
		t.field("url", URL, words{"Link", "Enlace", "", ""}, required, only(embedType)),
		t.text("title", campaign.MaxName, words{"Title", "Título", "", ""}, only(videoType, audioType, embedType)),
		t.text("caption", campaign.MaxDescription, words{"Caption", "Pie", "", ""},
			only(imageType, galleryType, videoType, audioType, embedType)),
		t.field("poster", Media, words{"Preview picture", "Imagen previa", "", ""}, only(videoType)),
		t.entries("images", campaign.MaxGallery, "", `{"src":"","alt":""}`, words{"Pictures", "Imágenes", "", ""}, []Field{
			t.field("src", Media, words{"Picture", "Imagen", "", ""}, required),
			t.alt(),
			t.text("caption", campaign.MaxDescription, words{"Caption", "Pie", "", ""}),
		}, required, only(galleryType)),
	}
}

// alt returns the alternative text. It is required, but can be empty.
func (t locale) alt(options ...option) Field {
	return t.text("alt", campaign.MaxDescription,
		words{"Alt text", "Texto alternativo", "Read aloud by screen readers. Leave it empty for decoration.",
			"Lo leen los lectores de pantalla. Déjalo vacío si es decoración."}, append(options, required)...)
}

func (t locale) diary() []Field {
	var phases []string
	for _, p := range campaign.Phases() {
		phases = append(phases, p, phaseNames[p][0], phaseNames[p][1])
	}
	return []Field{t.entries("diary", campaign.MaxList, "title", `{"title":"","date":"","content":[]}`,
		words{"Diary entries", "Entradas del diario", "", ""}, []Field{
			t.text("title", campaign.MaxName, words{"Title", "Título", "", ""}, required, minLength(1)),
			t.id(),
			t.field("date", DateTime, words{"Date", "Fecha", "", ""}, required),
			t.field("phase", Choice, words{"Phase", "Fase", "", ""}, t.choices(phases...)),
			t.blocks("content", words{"Text", "Texto", "", ""}),
			t.blocks("body", words{"Text (older name)", "Texto (nombre antiguo)", "", ""}, control(HiddenControl)),
		})}
}

var phaseNames = map[string][2]string{
	"fundraising": {"Fundraising", "Financiación"}, "pre-production": {"Pre-production", "Preproducción"},
	"production":      {"Production", "Producción"},
	"post-production": {"Post-production", "Posproducción"}, "distribution": {"Distribution", "Distribución"},
}

func (t locale) decisions() []Field {
	return []Field{t.entries("decisions", campaign.MaxList, "title",
		`{"title":"","type":"vote","options":[{"label":""},{"label":""}]}`, words{"Decisions", "Decisiones", "", ""}, []Field{
			t.text("title", campaign.MaxDescription, words{"Question", "Pregunta", "", ""}, required,
				minLength(1), control(TextControl)),
			t.id(),
			t.field("type", Choice, words{"Kind", "Tipo", "", ""}, t.choices(string(campaign.Vote), "Binding vote",
				"Votación vinculante", string(campaign.Poll), "Opinion poll", "Sondeo de opinión"), initially(`"vote"`)),
			t.field("eligible", Choice, words{"Who can answer", "Quién puede responder", "", ""},
				t.choices(string(campaign.Supporters), "Everyone who pledged", "Quienes han aportado", string(campaign.Charged),
					"Only those who were charged", "Solo a quienes se ha cobrado"), initially(`"`+string(campaign.Supporters)+`"`)),
			t.field("deadline", DateTime, words{"Closes", "Se cierra", "", ""}),
			t.entries("options", campaign.MaxOptions, "", `{"label":""}`, words{"Answers", "Respuestas", "", ""}, []Field{
				t.text("label", campaign.MaxOption, words{"Answer", "Respuesta", "", ""}, required, minLength(1)),
				t.field("image", Media, words{"Picture", "Imagen", "", ""}),
			}, required, minLength(2)),
		}, ignoring("status"))}
}
