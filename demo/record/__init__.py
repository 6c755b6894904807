"""An explanation on its way out, for every screen: its layers, the templates of what is said of them, which
`assets/js/record` fills in on the page and these files in pictures and exports, and how it is packed."""
