package schema

import (
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

func (t locale) content() []Field {
	return []Field{
		t.text("creator_name", campaign.MaxName, words{"Creator", "Responsable", "The person or team behind the campaign.", "Quién lleva la campaña."}),
		t.field("creator_image", Media, words{"Picture of the creator", "Imagen de la persona responsable", "", ""}),
		t.markdown("creator_about", campaign.MaxDescription, words{"About the creator", "Sobre la persona responsable", "", ""}),
		t.text("instagram", 200, words{"Instagram", "Instagram", "The account's name.", "El nombre de la cuenta."}, matching(`^@?(?:https://www\.instagram\.com/)?[A-Za-z0-9._]{0,30}/?$`)),
		t.entries("creator_links", campaign.MaxLinks, "", `{"label":"","url":""}`, words{"Creator's links", "Enlaces de la persona responsable", "", ""}, []Field{
			t.text("label", campaign.MaxName, words{"Text", "Texto", "If left out, the site's name is shown.", "Si falta, el nombre del sitio."}),
			t.field("url", URL, words{"Address", "Dirección", "", ""}, required),
		}),
		t.field("hero_image", Media, words{"Picture", "Imagen", "Shown on the campaign page and on cards.", "Aparece en la página y en las tarjetas."}),
		t.field("hero_image_wide", Media, words{"Wide picture", "Imagen ancha", "For wide screens.", "Para pantallas anchas."}),
		t.text("hero_image_alt", campaign.MaxName, words{"Description of the picture", "Descripción de la imagen", "For people who can't see it.", "Para quienes no la ven."}),
		t.field("hero_video", Media, words{"Video", "Vídeo", "A file, or a YouTube or Vimeo address.", "Un archivo o una dirección de YouTube o Vimeo."}),
		t.field("campaign_background", Media, words{"Background", "Fondo", "", ""}),
		t.blocks("long_content", words{"Page", "Página", "The campaign's story.", "De qué trata la campaña."}),
		t.markdown(campaignfile.BodyPath, campaign.MaxBody, words{"Text below the page", "Texto bajo la página", "The Markdown after the file's front matter.", "El Markdown del archivo, bajo sus claves."}),
		t.markdown("risks", campaign.MaxText, words{"Risks", "Riesgos", "Possible problems, and how you would deal with them.", "Qué puede salir mal y qué pasa entonces."}),
		t.entries("faq", campaign.MaxList, "", `{"question":"","answer":""}`, words{"Questions", "Preguntas", "", ""}, []Field{
			t.text("question", campaign.MaxBlurb, words{"Question", "Pregunta", "", ""}, required, atLeast(1)),
			t.markdown("answer", campaign.MaxDescription, words{"Answer", "Respuesta", "", ""}, required, atLeast(1)),
		}),
	}
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
		t.field("type", Choice, words{"Kind", "Tipo", "", ""}, required, t.choices(
			textType, "Text", "Texto", quoteType, "Quote", "Cita", imageType, "Picture", "Imagen", galleryType, "Gallery", "Galería",
			videoType, "Video", "Vídeo", audioType, "Recording", "Audio", embedType, "From another site", "De otro sitio", dividerType, "Divider", "Separador")),
		t.markdown("text", campaign.MaxText, words{"Text", "Texto", "", ""}, required, atLeast(1), only(textType, quoteType)),
		t.text("attribution", campaign.MaxName, words{"Attribution", "Quién lo dijo", "", ""}, only(quoteType)),
		t.field("src", Media, words{"File", "Archivo", "", ""}, required, only(imageType, videoType, audioType)),
		t.alt(only(imageType)),
		t.field("url", URL, words{"Address", "Dirección", "On YouTube, Vimeo or another site that can be embedded.", "En YouTube, Vimeo u otro sitio que se pueda incrustar."}, required, only(embedType)),
		t.text("title", campaign.MaxName, words{"Title", "Título", "", ""}, only(videoType, audioType, embedType)),
		t.text("caption", campaign.MaxDescription, words{"Caption", "Pie", "", ""}, only(imageType, galleryType, videoType, audioType, embedType)),
		t.field("poster", Media, words{"Preview picture", "Imagen antes de reproducir", "", ""}, only(videoType)),
		t.entries("images", campaign.MaxGallery, "", `{"src":"","alt":""}`, words{"Pictures", "Imágenes", "", ""}, []Field{
			t.field("src", Media, words{"File", "Archivo", "", ""}, required),
			t.alt(),
			t.text("caption", campaign.MaxDescription, words{"Caption", "Pie", "", ""}),
		}, required, only(galleryType)),
	}
}

// alt returns the alternative text. It is required, but can be empty.
func (t locale) alt(options ...option) Field {
	return t.text("alt", campaign.MaxDescription, words{"Description", "Descripción", "What the picture shows, for people who can't see it. Leave it empty for decorative pictures.", "Lo que muestra la imagen, para quienes no la ven; vacío si es decoración."}, append(options, required)...)
}

func (t locale) diary() []Field {
	var phases []string
	for _, p := range campaign.Phases() {
		phases = append(phases, p, phaseNames[p][0], phaseNames[p][1])
	}
	return []Field{t.entries("diary", campaign.MaxList, "title", `{"title":"","date":"","content":[]}`, words{"Diary entries", "Entradas del diario", "News of the campaign, newest first.", "Novedades de la campaña, primero la más reciente."}, []Field{
		t.text("title", campaign.MaxName, words{"Title", "Título", "", ""}, required, atLeast(1)),
		t.id(),
		t.field("date", DateTime, words{"Date", "Fecha", "", ""}, required),
		t.field("phase", Choice, words{"Phase", "Fase", "", ""}, t.choices(phases...)),
		t.blocks("content", words{"Text", "Texto", "", ""}),
		t.blocks("body", words{"Text (older name)", "Texto (nombre antiguo)", "An older name of content: use only one of them.", "Otro nombre de content: deja uno de los dos."}),
	})}
}

var phaseNames = map[string][2]string{
	"fundraising": {"Fundraising", "Financiación"}, "pre-production": {"Pre-production", "Preproducción"}, "production": {"Production", "Producción"},
	"post-production": {"Post-production", "Posproducción"}, "distribution": {"Distribution", "Distribución"},
}

func (t locale) decisions() []Field {
	return []Field{t.entries("decisions", campaign.MaxList, "title", `{"title":"","type":"vote","options":[{"label":""},{"label":""}]}`, words{"Decisions", "Decisiones", "Questions for your supporters.", "Preguntas a los mecenas."}, []Field{
		t.text("title", campaign.MaxDescription, words{"Question", "Pregunta", "", ""}, required, atLeast(1)),
		t.id(),
		t.field("type", Choice, words{"Kind", "Tipo", "A vote is binding, a poll is not.", "Una votación decide, un sondeo pregunta."}, t.choices(string(campaign.Vote), "Vote", "Votación", string(campaign.Poll), "Poll", "Sondeo"), initially(`"vote"`)),
		t.field("eligible", Choice, words{"Who can vote", "Quién puede responder", "", ""}, t.choices(string(campaign.Supporters), "Everyone who has pledged", "Quien ha aportado", string(campaign.Charged), "Everyone who was charged", "A quien se le ha cobrado"), initially(`"`+string(campaign.Supporters)+`"`)),
		t.field("deadline", DateTime, words{"Until", "Hasta", "", ""}),
		t.entries("options", campaign.MaxOptions, "", `{"label":""}`, words{"Answers", "Respuestas", "At least two.", "Dos como mínimo."}, []Field{
			t.text("label", campaign.MaxOption, words{"Answer", "Respuesta", "", ""}, required, atLeast(1)),
			t.field("image", Media, words{"Picture", "Imagen", "", ""}),
		}, required, atLeast(2)),
	}, ignoring("status"))}
}
