package schema

import (
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

func (t tongue) content() []Field {
	return []Field{
		t.text("creator_name", campaign.MaxName, words{"Creator", "Responsable", "Who runs the campaign.", "Quién lleva la campaña."}),
		t.field("creator_image", Media, words{"Picture of the creator", "Imagen de la persona responsable", "", ""}),
		t.markdown("creator_about", campaign.MaxDescription, words{"About the creator", "Sobre la persona responsable", "", ""}),
		t.text("instagram", 200, words{"Instagram", "Instagram", "The account's name.", "El nombre de la cuenta."}, matching(`^@?(?:https://www\.instagram\.com/)?[A-Za-z0-9._]{0,30}/?$`)),
		t.entries("creator_links", campaign.MaxLinks, "", `{"label":"","url":""}`, words{"Links of the creator", "Enlaces de la persona responsable", "", ""}, []Field{
			t.text("label", campaign.MaxName, words{"Text", "Texto", "The address's host where it is left out.", "Si falta, el nombre del sitio."}),
			t.field("url", URL, words{"Address", "Dirección", "", ""}, required),
		}),
		t.field("hero_image", Media, words{"Picture", "Imagen", "Stands on the page and on cards.", "Aparece en la página y en las tarjetas."}),
		t.field("hero_image_wide", Media, words{"Wide picture", "Imagen ancha", "For wide screens.", "Para pantallas anchas."}),
		t.text("hero_image_alt", campaign.MaxName, words{"Description of the picture", "Descripción de la imagen", "For those who do not see it.", "Para quienes no la ven."}),
		t.field("hero_video", Media, words{"Film", "Vídeo", "A file, or an address at YouTube or Vimeo.", "Un archivo o una dirección de YouTube o Vimeo."}),
		t.field("campaign_background", Media, words{"Background", "Fondo", "", ""}),
		t.blocks("long_content", words{"Page", "Página", "What the campaign is about.", "De qué trata la campaña."}),
		t.markdown(campaignfile.BodyPath, campaign.MaxBody, words{"Text below the page", "Texto bajo la página", "The file's Markdown below its keys.", "El Markdown del archivo, bajo sus claves."}),
		t.markdown("risks", campaign.MaxText, words{"Risks", "Riesgos", "What can go wrong, and what happens then.", "Qué puede salir mal y qué pasa entonces."}),
		t.entries("faq", campaign.MaxList, "", `{"question":"","answer":""}`, words{"Questions", "Preguntas", "", ""}, []Field{
			t.text("question", campaign.MaxBlurb, words{"Question", "Pregunta", "", ""}, required, atLeast(1)),
			t.markdown("answer", campaign.MaxDescription, words{"Answer", "Respuesta", "", ""}, required, atLeast(1)),
		}),
	}
}

func (t tongue) blocks(path string, w words, options ...option) Field {
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

func (t tongue) blockFields() []Field {
	return []Field{
		t.field("type", Choice, words{"Kind", "Tipo", "", ""}, required, t.of(
			textType, "Text", "Texto", quoteType, "Quote", "Cita", imageType, "Picture", "Imagen", galleryType, "Gallery", "Galería",
			videoType, "Film", "Vídeo", audioType, "Recording", "Audio", embedType, "From another site", "De otro sitio", dividerType, "Divider", "Separador")),
		t.markdown("text", campaign.MaxText, words{"Text", "Texto", "", ""}, required, atLeast(1), only(textType, quoteType)),
		t.text("attribution", campaign.MaxName, words{"Who said it", "Quién lo dijo", "", ""}, only(quoteType)),
		t.field("src", Media, words{"File", "Archivo", "", ""}, required, only(imageType, videoType, audioType)),
		t.alt(only(imageType)),
		t.field("url", URL, words{"Address", "Dirección", "At YouTube, Vimeo or another site that may be embedded.", "En YouTube, Vimeo u otro sitio que se pueda incrustar."}, required, only(embedType)),
		t.text("title", campaign.MaxName, words{"Title", "Título", "", ""}, only(videoType, audioType, embedType)),
		t.text("caption", campaign.MaxDescription, words{"Caption", "Pie", "", ""}, only(imageType, galleryType, videoType, audioType, embedType)),
		t.field("poster", Media, words{"Picture before it plays", "Imagen antes de reproducir", "", ""}, only(videoType)),
		t.entries("images", campaign.MaxGallery, "", `{"src":"","alt":""}`, words{"Pictures", "Imágenes", "", ""}, []Field{
			t.field("src", Media, words{"File", "Archivo", "", ""}, required),
			t.alt(),
			t.text("caption", campaign.MaxDescription, words{"Caption", "Pie", "", ""}),
		}, required, only(galleryType)),
	}
}

// alt has to be written, be it empty.
func (t tongue) alt(options ...option) Field {
	return t.text("alt", campaign.MaxDescription, words{"Description", "Descripción", "What the picture shows, for those who do not see it; empty where it is decoration.", "Lo que muestra la imagen, para quienes no la ven; vacío si es decoración."}, append(options, required)...)
}

func (t tongue) diary() []Field {
	var phases []string
	for _, p := range campaign.Phases() {
		phases = append(phases, p, phaseNames[p][0], phaseNames[p][1])
	}
	return []Field{t.entries("diary", campaign.MaxList, "title", `{"title":"","date":"","content":[]}`, words{"Diary entries", "Entradas del diario", "News of the campaign, newest first.", "Novedades de la campaña, primero la más reciente."}, []Field{
		t.text("title", campaign.MaxName, words{"Title", "Título", "", ""}, required, atLeast(1)),
		t.id(),
		t.field("date", DateTime, words{"Date", "Fecha", "", ""}, required),
		t.field("phase", Choice, words{"Phase", "Fase", "", ""}, t.of(phases...)),
		t.blocks("content", words{"Text", "Texto", "", ""}),
		t.blocks("body", words{"Text (older name)", "Texto (nombre antiguo)", "Another name of content: keep one of them.", "Otro nombre de content: deja uno de los dos."}),
	})}
}

var phaseNames = map[string][2]string{
	"fundraising": {"Fundraising", "Financiación"}, "pre-production": {"Pre-production", "Preproducción"}, "production": {"Production", "Producción"},
	"post-production": {"Post-production", "Posproducción"}, "distribution": {"Distribution", "Distribución"},
}

func (t tongue) decisions() []Field {
	return []Field{t.entries("decisions", campaign.MaxList, "title", `{"title":"","type":"vote","options":[{"label":""},{"label":""}]}`, words{"Decisions", "Decisiones", "Questions to the supporters.", "Preguntas a los mecenas."}, []Field{
		t.text("title", campaign.MaxDescription, words{"Question", "Pregunta", "", ""}, required, atLeast(1)),
		t.id(),
		t.field("type", Choice, words{"Kind", "Tipo", "A vote decides, a poll asks.", "Una votación decide, un sondeo pregunta."}, t.of(string(campaign.Vote), "Vote", "Votación", string(campaign.Poll), "Poll", "Sondeo"), initially(`"vote"`)),
		t.field("eligible", Choice, words{"Who may answer", "Quién puede responder", "", ""}, t.of(string(campaign.Supporters), "Everybody who has pledged", "Quien ha aportado", string(campaign.Charged), "Everybody who was charged", "A quien se le ha cobrado"), initially(`"`+string(campaign.Supporters)+`"`)),
		t.field("deadline", DateTime, words{"Until", "Hasta", "", ""}),
		t.entries("options", campaign.MaxOptions, "", `{"label":""}`, words{"Answers", "Respuestas", "At least two.", "Dos como mínimo."}, []Field{
			t.text("label", campaign.MaxOption, words{"Answer", "Respuesta", "", ""}, required, atLeast(1)),
			t.field("image", Media, words{"Picture", "Imagen", "", ""}),
		}, required, atLeast(2)),
	}, ignoring("status"))}
}
