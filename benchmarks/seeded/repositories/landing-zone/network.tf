resource "aws_vpc" "main" {
  cidr_block = var.range
}

resource "aws_subnet" "inner" {
  vpc_id     = aws_vpc.main.id
  cidr_block = cidrsubnet(var.range, 8, 1)
}

resource "aws_security_group" "service" {
  name   = "service"
  vpc_id = aws_vpc.main.id

  ingress {
    description = "the load balancer"
    from_port   = 8080
    to_port     = 8080
    protocol    = "tcp"
    cidr_blocks = [var.range]
  }
}

resource "aws_security_group" "operators" {
  name   = "operators"
  vpc_id = aws_vpc.main.id

  ingress {
    description = "ssh from the office"
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = var.office
  }
}
