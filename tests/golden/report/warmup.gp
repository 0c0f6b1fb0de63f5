set encoding utf8
set terminal svg noenhanced size 1240,470 font 'DejaVu Sans,11' background '#ffffff'
set multiplot layout 1,2 title 'Warm-up study: small' font 'DejaVu Sans Bold,14' offset 0,-0.3
set border 3 linecolor rgb '#8a9099' linewidth 1
set tics nomirror scale 0.5 textcolor rgb '#3c4149'
set mxtics default
set grid ytics linetype 1 linecolor rgb '#e4e7eb' linewidth 1
set key bmargin center horizontal Left reverse samplen 1.4 width 1.5 height 1 textcolor rgb '#3c4149'
set rmargin 2.5
set style fill solid 0.92 noborder
set key off
$points_0_0 << END
0 205.2375 260.893691 "205"
1 151.35 158.689278 "151"
2 150.45 152.896426 "150"
3 150.3375 152.172319 "150"
4 150.3375 152.172319 "150"
END
$intervals_0_0 << END
0 149.581309 111.312381
1 144.010722 14.6785558
2 148.003574 4.89285193
3 148.502681 3.66963895
4 148.502681 3.66963895
END
set title 'Mean time ± standard deviation' font 'DejaVu Sans Bold,12' offset 0,-0.2
set xlabel 'Warm-up steps' offset 0,0.2
set ylabel 'Time (ms)'
unset logscale
set lmargin -1
set xtics norotate ('0' 0, '1' 1, '2' 2, '5' 3, '10' 4)
set xrange [-0.6:4.6]
set yrange [0:292.200934]
set ytics autofreq
plot $points_0_0 using 1:2:(0.74) with boxes linecolor rgb '#0072B2' title 'mean', \
  $intervals_0_0 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#2b2f36' linewidth 1.2 notitle, \
  $points_0_0 using 1:3:4 with labels offset 0,0.6 font 'DejaVu Sans,9' textcolor rgb '#3c4149' notitle
$points_1_0 << END
0 27.1179442 27.1179442 "27.1"
1 4.84920905 4.84920905 "4.85"
2 1.62607243 1.62607243 "1.63"
3 1.22046693 1.22046693 "1.22"
4 1.22046693 1.22046693 "1.22"
END
set title 'Spread' font 'DejaVu Sans Bold,12' offset 0,-0.2
set xlabel 'Warm-up steps' offset 0,0.2
set ylabel 'CV (%)'
unset logscale
set lmargin -1
set xtics norotate ('0' 0, '1' 1, '2' 2, '5' 3, '10' 4)
set xrange [-0.6:4.6]
set yrange [0:30.3720975]
set ytics autofreq
plot $points_1_0 using 1:2:(0.74) with boxes linecolor rgb '#0072B2' title 'CV', \
  $points_1_0 using 1:3:4 with labels offset 0,0.6 font 'DejaVu Sans,9' textcolor rgb '#3c4149' notitle
unset multiplot
