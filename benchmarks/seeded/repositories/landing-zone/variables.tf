variable "name" {
  type = string
}

variable "range" {
  type    = string
  default = "10.20.0.0/16"
}

variable "office" {
  type        = list(string)
  description = "Networks that may log in"
}

variable "database_password" {
  type      = string
  sensitive = true
}
