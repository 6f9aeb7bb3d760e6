variable "name" {
  type    = string
  default = "shop"
}

resource "local_file" "note" {
  content  = var.name
  filename = "note.txt"
}
