package demo

import "github.com/pledgeworks/pledgeworks/pledge"

// supporters are the people who make the seeded pledges, in this order. Email addresses consist of
// the first name and example.com.
var supporters = []struct {
	first   string
	address pledge.Address
}{
	{"maya", pledge.Address{Name: "Maya Ortiz", Line1: "1 Shore Road", City: "Taos", State: "NM", PostalCode: "87571", Country: "US"}},
	{"tomas", pledge.Address{Name: "Tomas Baca", Line1: "418 Palace Avenue", City: "Santa Fe", State: "NM", PostalCode: "87501", Country: "US"}},
	{"ines", pledge.Address{Name: "Inés Galán", Line1: "Calle de Atocha 27", City: "Madrid", State: "M", PostalCode: "28012", Country: "ES"}},
	{"jonah", pledge.Address{Name: "Jonah Whitfield", Line1: "2210 NW Lovejoy Street", City: "Portland", State: "OR", PostalCode: "97210", Country: "US"}},
	{"priya", pledge.Address{Name: "Priya Raman", Line1: "88 Queen Street West", City: "Toronto", State: "ON", PostalCode: "M5H 2M8", Country: "CA"}},
	{"oscar", pledge.Address{Name: "Oscar Lindqvist", Line1: "Hornsgatan 51", City: "Stockholm", PostalCode: "118 49", Country: "SE"}},
	{"lena", pledge.Address{Name: "Lena Hofmann", Line1: "Weserstraße 14", City: "Berlin", PostalCode: "12047", Country: "DE"}},
	{"diego", pledge.Address{Name: "Diego Salas", Line1: "Avenida Álvaro Obregón 73", City: "Ciudad de México", State: "CMX", PostalCode: "06700", Country: "MX"}},
	{"ruth", pledge.Address{Name: "Ruth Abrams", Line1: "305 West 98th Street", City: "New York", State: "NY", PostalCode: "10025", Country: "US"}},
	{"amir", pledge.Address{Name: "Amir Haddad", Line1: "1416 N Milwaukee Avenue", City: "Chicago", State: "IL", PostalCode: "60622", Country: "US"}},
	{"clara", pledge.Address{Name: "Clara Fournier", Line1: "9 rue des Martyrs", City: "Paris", PostalCode: "75009", Country: "FR"}},
	{"noel", pledge.Address{Name: "Noel Byrne", Line1: "22 South Circular Road", City: "Dublin", PostalCode: "D08 E2Y7", Country: "IE"}},
	{"sofia", pledge.Address{Name: "Sofia Marchetti", Line1: "Via Mascarella 40", City: "Bologna", State: "BO", PostalCode: "40126", Country: "IT"}},
	{"karim", pledge.Address{Name: "Karim Osei", Line1: "61 Mare Street", City: "London", PostalCode: "E8 3RG", Country: "GB"}},
	{"helen", pledge.Address{Name: "Helen Tran", Line1: "140 Smith Street", City: "Fitzroy", State: "VIC", PostalCode: "3065", Country: "AU"}},
	{"mateo", pledge.Address{Name: "Mateo Chavez", Line1: "912 Gold Avenue SW", City: "Albuquerque", State: "NM", PostalCode: "87102", Country: "US"}},
	{"nadia", pledge.Address{Name: "Nadia Kowalska", Line1: "ul. Mokotowska 12", City: "Warszawa", PostalCode: "00-640", Country: "PL"}},
	{"felix", pledge.Address{Name: "Felix Gruber", Line1: "Neubaugasse 33", City: "Wien", PostalCode: "1070", Country: "AT"}},
	{"rosa", pledge.Address{Name: "Rosa Delgado", Line1: "2711 Congress Avenue", City: "Austin", State: "TX", PostalCode: "78704", Country: "US"}},
	{"simon", pledge.Address{Name: "Simon de Vries", Line1: "Ceintuurbaan 207", City: "Amsterdam", PostalCode: "1074 CV", Country: "NL"}},
	{"tara", pledge.Address{Name: "Tara Nguyen", Line1: "455 Valencia Street", City: "San Francisco", State: "CA", PostalCode: "94103", Country: "US"}},
	{"bruno", pledge.Address{Name: "Bruno Carvalho", Line1: "Rua da Rosa 118", City: "Lisboa", PostalCode: "1200-389", Country: "PT"}},
	{"elena", pledge.Address{Name: "Elena Papadaki", Line1: "Themistokleous 52", City: "Athina", PostalCode: "106 81", Country: "GR"}},
	{"yusuf", pledge.Address{Name: "Yusuf Demir", Line1: "1805 Cary Street", City: "Richmond", State: "VA", PostalCode: "23220", Country: "US"}},
	{"aiko", pledge.Address{Name: "Aiko Mori", Line1: "2-14-6 Kitazawa", City: "Setagaya", State: "13", PostalCode: "155-0031", Country: "JP"}},
	{"wren", pledge.Address{Name: "Wren Aldous", Line1: "17 Cuba Street", City: "Wellington", PostalCode: "6011", Country: "NZ"}},
	{"marc", pledge.Address{Name: "Marc Bouchard", Line1: "4020 rue Saint-Denis", City: "Montréal", State: "QC", PostalCode: "H2W 2M4", Country: "CA"}},
	{"ingrid", pledge.Address{Name: "Ingrid Solberg", Line1: "Thorvald Meyers gate 26", City: "Oslo", PostalCode: "0555", Country: "NO"}},
	{"dana", pledge.Address{Name: "Dana Whitehorse", Line1: "73 Aztec Avenue", City: "Gallup", State: "NM", PostalCode: "87301", Country: "US"}},
	{"lukas", pledge.Address{Name: "Lukas Meier", Line1: "Langstrasse 92", City: "Zürich", PostalCode: "8004", Country: "CH"}},
}
