package schema

// presetsES contains the Spanish descriptions of the shipping presets.
var presetsES = map[string]string{
	"sticker":       "Pegatina o postal, en un sobre",
	"zine":          "Folleto grapado, en un sobre",
	"pin":           "Pin esmaltado o parche, en un sobre acolchado",
	"print":         "Lámina de hasta 9 × 12 pulgadas, plana entre cartones",
	"poster":        "Póster de hasta 24 × 36 pulgadas, enrollado en un tubo",
	"tshirt":        "Camiseta, en una bolsa de envío",
	"hoodie":        "Sudadera con capucha, en una bolsa de envío",
	"cap":           "Gorra, en una caja",
	"tote":          "Bolsa de algodón doblada, en una bolsa de envío",
	"mug":           "Taza, en una caja",
	"cassette":      "Casete, en un sobre acolchado",
	"cd":            "CD en su caja, en un sobre acolchado",
	"dvd":           "DVD en su caja, en un sobre acolchado",
	"bluray":        "Blu-ray en su caja, en un sobre acolchado",
	"vinyl":         "Disco de vinilo, en un sobre para discos",
	"paperback":     "Libro en rústica de hasta 300 páginas, en un sobre acolchado",
	"hardcover":     "Libro de tapa dura de hasta 350 páginas, en una caja",
	"signed_script": "Guion de 120 páginas, en un sobre rígido",
	"card_game":     "Caja pequeña de cartas, en una caja",
	"board_game":    "Caja de 12 × 12 × 3 pulgadas, en una caja",
	"box_set":       "Caja con varios discos o libros, en una caja",
}
