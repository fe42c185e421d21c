// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#pragma once

#include <gtk/gtk.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <webkit2/webkit2.h>
#include <cairo.h>
